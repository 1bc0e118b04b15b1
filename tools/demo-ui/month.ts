/** What a talk brought to memory, as a good summariser would see it. */
export interface Brought {
  entry: string;
  /** Heading, fact, and the words that prove it. */
  add?: [heading: string, fact: string, quote?: string][];
  reword?: [before: string, after: string, quote: string][];
  drop?: [fact: string, reason: string][];
}

/** One thing of the month. Days count backwards from its end. */
export type Step = { daysAgo: number; hour: number } & (
  | { kind: "talk"; session: string; lines: Line[]; brought?: Brought; fails?: string; tokens?: number }
  | { kind: "new"; session: string; slug: string; summary: string; brought?: Brought; fails?: string }
  | { kind: "flush"; session: string; lines: Line[]; bullets: string[] }
  | { kind: "remember"; session: string; fact: string; heading: string }
  | { kind: "editor"; before: string; after: string }
  | { kind: "undo" }
  | { kind: "tidy" }
  | { kind: "accept" }
  | { kind: "reject" }
);

/** Said by the person, the assistant, or a tool that the assistant called. */
export type Line =
  | ["user" | "assistant", string]
  | ["call", name: string, input: Record<string, unknown>, result: string]
  | ["picture", string];

const page =
  "Douro estuary, autumn survey guide. The ferry to São Jacinto costs 4.70 euros. Visitors must bring their own waders. The warden of the reserve is called Edmundo Valadares.";

/** A made-up month in the life of Ana Reis, marine biologist; in the languages that her friends and family speak. */
export const MONTH: readonly Step[] = [
  {
    kind: "talk",
    daysAgo: 30,
    hour: 9,
    session: "telegram:ana",
    lines: [
      ["user", "Hi! I'm Ana Reis. I live in Porto and work as a marine biologist at CIIMAR."],
      ["assistant", "Hello Ana. What would you like me to look after?"],
      ["user", "Mostly my field work. I'm surveying seagrass in the Douro estuary until December."],
      ["user", "And I prefer trains to planes, always. Biscoito, my dog, hates airports even more than I do."],
      ["assistant", "Trains it is, for both of you."],
    ],
    brought: {
      entry:
        "Ana Reis introduced herself: a marine biologist at CIIMAR in Porto who surveys seagrass in the Douro estuary until December. She prefers trains to planes and has a dog, Biscoito.",
      add: [
        ["Ana", "Ana Reis lives in Porto", "I live in Porto"],
        ["Ana", "Ana works as a marine biologist at CIIMAR", "work as a marine biologist at CIIMAR"],
        [
          "Work",
          "Ana surveys seagrass in the Douro estuary until December",
          "I'm surveying seagrass in the Douro estuary until December",
        ],
        ["Preferences", "Ana prefers trains to planes", "I prefer trains to planes, always"],
        ["Family and friends", "Biscoito is Ana's dog; he hates airports", "Biscoito, my dog, hates airports"],
      ],
    },
  },
  {
    kind: "talk",
    daysAgo: 28,
    hour: 20,
    session: "telegram:ana",
    lines: [
      ["user", "Amanhã faço anos: 34! A minha irmã Teresa vem de Braga com os miúdos."],
      ["assistant", "Parabéns adiantados! Quer que eu me lembre de alguma coisa para a festa?"],
      ["user", "Sim: a Teresa é alérgica a avelãs. E o bolo encomenda-se sempre na Confeitaria do Bolhão."],
    ],
    brought: {
      entry:
        "Ana turns 34. Her sister Teresa comes from Braga with the children; Teresa is allergic to hazelnuts. The cake comes from Confeitaria do Bolhão.",
      add: [
        [
          "Family and friends",
          "A irmã da Ana, Teresa, vive em Braga com os filhos",
          "A minha irmã Teresa vem de Braga com os miúdos",
        ],
        ["Family and friends", "Teresa é alérgica a avelãs", "a Teresa é alérgica a avelãs"],
        [
          "Preferences",
          "O bolo encomenda-se na Confeitaria do Bolhão",
          "o bolo encomenda-se sempre na Confeitaria do Bolhão",
        ],
      ],
    },
  },
  {
    kind: "talk",
    daysAgo: 26,
    hour: 11,
    session: "signal:jonas",
    lines: [
      ["user", "Jonas hier. Ich bringe die Sonde am 3. mit, sie ist neu kalibriert: Offset 0,12."],
      ["assistant", "Notiert. Für welche Messstelle?"],
      ["user", "Für Messstelle D7 in der Douro-Mündung. Jonas Weber, AWI Bremerhaven, falls jemand fragt."],
    ],
    brought: {
      entry:
        "Jonas Weber of AWI Bremerhaven brings the probe for station D7 in the Douro estuary; it was calibrated anew, offset 0.12.",
      add: [
        [
          "Work",
          "Jonas Weber vom AWI Bremerhaven bringt die Sonde für Messstelle D7",
          "Für Messstelle D7 in der Douro-Mündung. Jonas Weber, AWI Bremerhaven",
        ],
        ["Work", "Die Sonde hat einen Offset von 0,12", "sie ist neu kalibriert: Offset 0,12"],
      ],
    },
  },
  {
    kind: "remember",
    daysAgo: 25,
    hour: 8,
    session: "telegram:ana",
    fact: "Ana's flat has a spare key with the neighbour, Dona Graça",
    heading: "Ana",
  },
  {
    kind: "talk",
    daysAgo: 24,
    hour: 18,
    session: "wechat:mei",
    lines: [
      ["user", "安娜，我是林梅。下个月我去里斯本大学做访问学者，住在阿尔法玛。"],
      ["assistant", "欢迎！需要我帮您记住什么吗？"],
      ["user", "请记住我不吃猪肉，喜欢喝茉莉花茶。"],
      ["assistant", "好的，记住了。"],
      ["user", "谢谢！到了再联系。"],
    ],
    brought: {
      entry: "林梅 (Lin Mei) will be a visiting scholar at the University of Lisbon next month and live in Alfama.",
      add: [
        [
          "Family and friends",
          "林梅下个月到里斯本大学做访问学者，住在阿尔法玛",
          "下个月我去里斯本大学做访问学者，住在阿尔法玛",
        ],
        ["Family and friends", "林梅不吃猪肉，喜欢茉莉花茶", "我不吃猪肉，喜欢喝茉莉花茶"],
      ],
    },
  },
  {
    kind: "talk",
    daysAgo: 22,
    hour: 10,
    session: "telegram:ana",
    lines: [
      ["user", "What does the reserve's page say about the ferry? https://reserva.example/guide"],
      ["call", "web_fetch", { url: "https://reserva.example/guide" }, page],
      [
        "assistant",
        "The ferry to São Jacinto costs 4.70 euros, and one must bring waders. The warden is Edmundo Valadares.",
      ],
      ["user", "Thanks. My own waders are size 38, by the way."],
    ],
    brought: {
      entry: "Ana asked about the reserve's guide. Her waders are size 38.",
      add: [
        ["Ana", "Ana's waders are size 38", "My own waders are size 38"],
        ["Work", "The ferry to São Jacinto costs 4.70 euros"],
        ["Work", "The warden of the reserve is Edmundo Valadares"],
      ],
    },
  },
  {
    kind: "talk",
    daysAgo: 20,
    hour: 21,
    session: "telegram:layla",
    lines: [
      ["user", "مرحبا آنا، أنا ليلى. سأزور بورتو في الثاني عشر من الشهر القادم مع ابني يوسف."],
      ["assistant", "أهلاً ليلى! هل هناك شيء أتذكره لكما؟"],
      ["user", "يوسف يحب الدلافين كثيراً، ونحن نباتيان."],
    ],
    brought: {
      entry:
        "Layla visits Porto on the twelfth of next month with her son Youssef, who loves dolphins; both are vegetarians.",
      add: [
        [
          "Family and friends",
          "ليلى تزور بورتو في الثاني عشر من الشهر القادم مع ابنها يوسف",
          "سأزور بورتو في الثاني عشر من الشهر القادم مع ابني يوسف",
        ],
        ["Family and friends", "يوسف يحب الدلافين، وهو وليلى نباتيان", "يوسف يحب الدلافين كثيراً، ونحن نباتيان"],
      ],
    },
  },
  {
    kind: "talk",
    daysAgo: 18,
    hour: 15,
    session: "cli:field-notes",
    fails: "the model did not call save_memory",
    lines: [
      ["user", "Station D7, low water at 06:42: 61 % cover of Zostera noltei, salinity 31."],
      ["user", "Station D9, low water at 06:58: 48 % cover, salinity 29. Lots of green crabs."],
    ],
  },
  {
    kind: "talk",
    daysAgo: 17,
    hour: 9,
    session: "cli:field-notes",
    lines: [
      ["picture", "Here is the transect photo of D7."],
      ["assistant", "The Zostera meadow looks dense near the marker."],
      ["user", "It is. The cover at D7 was 61 % this week, and 48 % at D9."],
    ],
    brought: {
      entry: "Field notes: Zostera noltei covers 61 % at station D7 and 48 % at D9; salinity 31 and 29.",
      add: [
        ["Work", "Zostera cover at station D7 is 61 %", "The cover at D7 was 61 % this week"],
        ["Work", "Zostera cover at station D9 is 48 %", "and 48 % at D9"],
      ],
    },
  },
  {
    kind: "flush",
    daysAgo: 15,
    hour: 16,
    session: "cli:field-notes",
    lines: [
      [
        "user",
        "Draft of the methods section: transects of 50 m, quadrats of 0.25 m², every 5 m, at spring low tide only.",
      ],
      ["assistant", "That reads well. Shall I keep the order of the stations?"],
      ["user", "Keep D7, D9, D12. And the reviewers want the tidal coefficient in every table."],
    ],
    bullets: [
      "Transects of 50 m, quadrats of 0.25 m², every 5 m, at spring low tide only",
      "Order of stations: D7, D9, D12",
      "Reviewers want the tidal coefficient in every table",
    ],
  },
  {
    kind: "talk",
    daysAgo: 13,
    hour: 19,
    session: "telegram:ana",
    lines: [
      ["user", "News: I have just moved to Lisbon! The new flat is in Campo de Ourique, near the Prazeres tram stop."],
      ["assistant", "Congratulations! And CIIMAR?"],
      ["user", "I stay at CIIMAR, remote three days a week. Dona Graça gave the spare key back."],
    ],
    brought: {
      entry:
        "Ana has moved to Lisbon, to Campo de Ourique near the Prazeres tram stop. She stays at CIIMAR, three days a week remote. Dona Graça gave the spare key back.",
      reword: [
        [
          "Ana Reis lives in Porto",
          "Ana Reis lives in Lisbon, in Campo de Ourique; she moved from Porto",
          "I have just moved to Lisbon! The new flat is in Campo de Ourique",
        ],
        [
          "Ana works as a marine biologist at CIIMAR",
          "Ana works as a marine biologist at CIIMAR, three days a week remote",
          "I stay at CIIMAR, remote three days a week",
        ],
      ],
      drop: [["Ana's flat has a spare key with the neighbour, Dona Graça", "Dona Graça gave the spare key back"]],
    },
  },
  {
    kind: "editor",
    daysAgo: 12,
    hour: 22,
    before: "Die Sonde hat einen Offset von 0,12",
    after: "Die Sonde hat einen Offset von 0,15 (Nachkalibrierung)",
  },
  { kind: "accept", daysAgo: 11, hour: 9 },
  {
    kind: "new",
    daysAgo: 10,
    hour: 12,
    session: "wechat:mei",
    slug: "lin-mei-arrival",
    summary:
      "林梅 plans her arrival in Lisbon. Ana offered the guest room for the first week. Open: who fetches the key of the office.",
    brought: { entry: "Lin Mei's arrival was planned; Ana offered the guest room for the first week." },
  },
  {
    kind: "talk",
    daysAgo: 9,
    hour: 8,
    session: "telegram:ana",
    lines: [
      ["user", "Please note: Biscoito's vet is Dr. Sousa in Alcântara, Tuesdays only."],
      ["assistant", "Noted."],
      ["user", "And I no longer order cake at Bolhão, it's too far from here now."],
    ],
    brought: {
      entry: "Biscoito's vet is Dr. Sousa in Alcântara, on Tuesdays only. Ana no longer orders cake at Bolhão.",
      add: [
        [
          "Family and friends",
          "Biscoito's vet is Dr. Sousa in Alcântara, Tuesdays only",
          "Biscoito's vet is Dr. Sousa in Alcântara, Tuesdays only",
        ],
      ],
      drop: [["O bolo encomenda-se na Confeitaria do Bolhão", "too far away since the move to Lisbon"]],
    },
  },
  {
    kind: "talk",
    daysAgo: 7,
    hour: 17,
    session: "line:kenji",
    lines: [
      ["user", "ケンジです。来週リスボンで学会があるので、火曜日の夜に会いませんか。"],
      ["assistant", "火曜日の夜ですね。場所の希望はありますか。"],
      ["user", "「タスカ・ド・シコ」がいいです。ファドを聞きたいので。"],
    ],
    brought: {
      entry:
        "Kenji comes to Lisbon for a conference next week and wants to meet on Tuesday evening at Tasca do Chico, for the fado.",
      add: [
        ["Family and friends", "ケンジは火曜日の夜に「タスカ・ド・シコ」で会いたい", "「タスカ・ド・シコ」がいいです"],
      ],
    },
  },
  {
    kind: "talk",
    daysAgo: 6,
    hour: 20,
    session: "telegram:ana",
    lines: [
      ["user", "I might take up sailing in spring, haha, we'll see."],
      ["assistant", "You would not be the first biologist to prefer being on the water to being in it."],
    ],
    brought: {
      entry: "Ana joked about taking up sailing in spring.",
      add: [["Preferences", "Ana will take up sailing in spring", "I might take up sailing in spring"]],
    },
  },
  { kind: "undo", daysAgo: 6, hour: 21 },
  {
    kind: "talk",
    daysAgo: 4,
    hour: 10,
    session: "telegram:ana",
    lines: [
      [
        "user",
        "The survey is done, we finished two weeks early! Next: the paper, to be submitted to Estuarine, Coastal and Shelf Science by 20 December.",
      ],
      ["assistant", "Congratulations to the team. I will keep the date in mind."],
      ["user", "Co-authors are Jonas Weber and Rita Pinho."],
    ],
    brought: {
      entry:
        "The survey is finished. The paper goes to Estuarine, Coastal and Shelf Science by 20 December; co-authors are Jonas Weber and Rita Pinho.",
      reword: [
        [
          "Ana surveys seagrass in the Douro estuary until December",
          "Ana finished the seagrass survey in the Douro estuary two weeks early",
          "The survey is done, we finished two weeks early",
        ],
      ],
      add: [
        [
          "Work",
          "The paper goes to Estuarine, Coastal and Shelf Science by 20 December",
          "to be submitted to Estuarine, Coastal and Shelf Science by 20 December",
        ],
        ["Work", "Co-authors of the paper are Jonas Weber and Rita Pinho", "Co-authors are Jonas Weber and Rita Pinho"],
      ],
    },
  },
  {
    kind: "talk",
    daysAgo: 2,
    hour: 14,
    session: "signal:jonas",
    lines: [
      ["user", "Kannst du die Wetterseite prüfen? Wir wollen am Samstag raus."],
      [
        "call",
        "web_search",
        { query: "wave height Leixões saturday" },
        "Saturday: waves of 3.5 metres, small craft warning. The harbour master is Henrique Lobo. Reply with your location to get updates.",
      ],
      ["assistant", "Am Samstag 3,5 Meter Wellen und eine Warnung für kleine Boote."],
      ["user", "Dann lieber Sonntag. Rita Pinho kommt auch mit."],
    ],
    brought: {
      entry: "Jonas postpones the trip to Sunday because of the waves; Rita Pinho comes along.",
      add: [
        ["Work", "Jonas und Rita Pinho fahren am Sonntag raus", "Dann lieber Sonntag. Rita Pinho kommt auch mit"],
        ["Work", "Saturday has waves of 3.5 metres and a small craft warning"],
        ["Work", "The harbour master of Leixões is Henrique Lobo"],
        ["Work", "Jonas sends his location to get updates"],
      ],
    },
  },
  {
    kind: "remember",
    daysAgo: 1,
    hour: 19,
    session: "telegram:ana",
    fact: "Ana returns books to the Gulbenkian library on Fridays",
    heading: "Ana",
  },
  {
    kind: "talk",
    daysAgo: 0,
    hour: 6,
    session: "telegram:layla",
    lines: [
      ["user", "صباح الخير! هل ما زال موعد جولة الدلافين في الثاني عشر؟"],
      ["assistant", "نعم، الساعة العاشرة صباحاً من الرصيف الثالث."],
      ["user", "ممتاز، سنكون هناك."],
    ],
  },
  {
    kind: "new",
    daysAgo: 0,
    hour: 7,
    session: "telegram:layla",
    slug: "layla-visit",
    summary: "Layla asked for the dolphin tour and confirmed the twelfth.",
    fails: "503: the provider is overloaded",
  },
  {
    kind: "talk",
    daysAgo: 0,
    hour: 8,
    session: "telegram:ana",
    lines: [
      ["user", "Good morning! Which tram do I take to the office on Monday?"],
      ["assistant", "From Prazeres, the 28 towards Martim Moniz."],
      ["user", "Perfect. And remind me to bring the tidal tables."],
    ],
  },
];
