/** A few sentences of everyday talk in many languages, and what else stands in prompts. */
export const TOKEN_SAMPLES: Readonly<Record<string, string>> = {
  English:
    "Yesterday we walked along the harbour until it began to rain. My sister said that she would rather move to Lisbon than spend another winter here, and I promised to look at flats with her in the spring. The meeting with the landlord is on Thursday at half past nine.",
  German:
    "Gestern sind wir am Hafen entlanggegangen, bis es zu regnen begann. Meine Schwester sagte, sie würde lieber nach Lissabon ziehen, als noch einen Winter hier zu verbringen. Die Wohnungsbesichtigung mit dem Vermieter ist am Donnerstagvormittag um halb zehn.",
  French:
    "Hier, nous nous sommes promenés le long du port jusqu'à ce qu'il commence à pleuvoir. Ma sœur a dit qu'elle préférerait déménager à Lisbonne plutôt que de passer encore un hiver ici. Le rendez-vous avec le propriétaire est jeudi à neuf heures et demie.",
  Spanish:
    "Ayer paseamos por el puerto hasta que empezó a llover. Mi hermana dijo que preferiría mudarse a Lisboa antes que pasar otro invierno aquí, y le prometí que en primavera miraríamos pisos juntas. La reunión con el dueño es el jueves a las nueve y media.",
  Portuguese:
    "Ontem passeámos ao longo do porto até começar a chover. A minha irmã disse que preferia mudar-se para Lisboa a passar mais um inverno aqui, e prometi-lhe que veríamos apartamentos na primavera. A reunião com o senhorio é na quinta-feira às nove e meia.",
  Italian:
    "Ieri abbiamo camminato lungo il porto finché non ha cominciato a piovere. Mia sorella ha detto che preferirebbe trasferirsi a Lisbona piuttosto che passare un altro inverno qui. L'appuntamento con il proprietario è giovedì alle nove e mezza.",
  Dutch:
    "Gisteren liepen we langs de haven tot het begon te regenen. Mijn zus zei dat ze liever naar Lissabon zou verhuizen dan hier nog een winter door te brengen. De afspraak met de huisbaas is donderdagochtend om half tien.",
  Swedish:
    "Igår promenerade vi längs hamnen tills det började regna. Min syster sade att hon hellre skulle flytta till Lissabon än tillbringa ännu en vinter här. Mötet med hyresvärden är på torsdag klockan halv tio.",
  Finnish:
    "Eilen kävelimme sataman rantaa pitkin, kunnes alkoi sataa. Sisareni sanoi muuttavansa mieluummin Lissaboniin kuin viettävänsä täällä vielä yhden talven. Tapaaminen vuokranantajan kanssa on torstaina puoli kymmeneltä.",
  Polish:
    "Wczoraj spacerowaliśmy wzdłuż portu, dopóki nie zaczęło padać. Moja siostra powiedziała, że wolałaby przeprowadzić się do Lizbony, niż spędzić tu kolejną zimę. Spotkanie z właścicielem mieszkania jest w czwartek o wpół do dziesiątej.",
  Hungarian:
    "Tegnap a kikötő mentén sétáltunk, amíg el nem kezdett esni az eső. A nővérem azt mondta, hogy inkább Lisszabonba költözne, mint hogy még egy telet itt töltsön. A találkozó a háziúrral csütörtökön fél tízkor lesz.",
  Turkish:
    "Dün yağmur başlayana kadar liman boyunca yürüdük. Kız kardeşim burada bir kış daha geçirmektense Lizbon'a taşınmayı tercih edeceğini söyledi. Ev sahibiyle görüşme perşembe günü dokuz buçukta.",
  Vietnamese:
    "Hôm qua chúng tôi đi dạo dọc bến cảng cho đến khi trời bắt đầu mưa. Chị tôi nói rằng chị ấy thà chuyển đến Lisbon còn hơn ở đây thêm một mùa đông nữa. Cuộc hẹn với chủ nhà là vào thứ năm lúc chín giờ rưỡi.",
  Russian:
    "Вчера мы гуляли вдоль гавани, пока не начался дождь. Моя сестра сказала, что лучше переедет в Лиссабон, чем проведёт здесь ещё одну зиму. Встреча с хозяином квартиры в четверг в половине десятого.",
  Ukrainian:
    "Учора ми гуляли вздовж гавані, поки не почався дощ. Моя сестра сказала, що радше переїде до Лісабона, ніж проведе тут ще одну зиму. Зустріч із власником квартири в четвер о пів на десяту.",
  Greek:
    "Χθες περπατήσαμε κατά μήκος του λιμανιού μέχρι που άρχισε να βρέχει. Η αδελφή μου είπε ότι θα προτιμούσε να μετακομίσει στη Λισαβόνα παρά να περάσει άλλον έναν χειμώνα εδώ. Η συνάντηση με τον ιδιοκτήτη είναι την Πέμπτη στις εννιάμισι.",
  Arabic:
    "مشينا أمس على طول الميناء حتى بدأ المطر. قالت أختي إنها تفضل الانتقال إلى لشبونة على قضاء شتاء آخر هنا. الموعد مع صاحب الشقة يوم الخميس في التاسعة والنصف.",
  Hebrew:
    "אתמול הלכנו לאורך הנמל עד שהתחיל לרדת גשם. אחותי אמרה שהיא מעדיפה לעבור לליסבון מאשר לבלות כאן עוד חורף אחד.",
  Hindi:
    "कल हम बंदरगाह के किनारे तब तक चलते रहे जब तक बारिश शुरू नहीं हुई। मेरी बहन ने कहा कि वह यहाँ एक और सर्दी बिताने के बजाय लिस्बन जाना पसंद करेगी।",
  Thai: "เมื่อวานเราเดินเล่นริมท่าเรือจนฝนเริ่มตก พี่สาวของฉันบอกว่าเธออยากย้ายไปลิสบอนมากกว่าอยู่ที่นี่อีกหนึ่งฤดูหนาว",
  Chinese:
    "昨天我们沿着港口散步，直到开始下雨。我姐姐说，她宁愿搬到里斯本，也不想在这里再过一个冬天，我答应春天陪她去看房子。和房东的见面定在星期四上午九点半。",
  Japanese:
    "昨日は雨が降り始めるまで港沿いを歩きました。姉は、ここでもう一度冬を過ごすくらいならリスボンに引っ越したいと言っていました。大家さんとの約束は木曜日の九時半です。",
  Korean:
    "어제 우리는 비가 내리기 시작할 때까지 항구를 따라 걸었다. 언니는 여기서 겨울을 한 번 더 보내느니 차라리 리스본으로 이사하겠다고 말했다. 집주인과의 약속은 목요일 아홉 시 반이다.",
  "source code":
    'export function addLine(view: View, line: LogLine): void {\n  if (line.kind === "metadata") view.metadata = merge(view.metadata, line.metadata);\n  if (line.kind !== "message") return;\n  for (const [index, part] of line.parts.entries()) {\n    view.tail.push({ ...part, id: part.id ?? `#${index}` });\n  }\n}\n'.repeat(
      3,
    ),
  "JSON lines": Array.from(
    { length: 8 },
    (_, index) =>
      `{"role":"user","content":"what did we say about boat ${index * 37}?","timestamp":"2026-11-15T09:3${index}:00.000+01:00","id":"k3v9x0q2a${index}"}`,
  ).join("\n"),
  identifiers: Array.from({ length: 60 }, (_, index) => `${((index + 3) * 7_919_777).toString(36)}${index}x9q`).join(
    " ",
  ),
  numbers: Array.from({ length: 80 }, (_, index) => ((index + 1) * 1234.567).toFixed(2)).join(", "),
  hexadecimal: Array.from({ length: 60 }, (_, index) => ((index + 9) * 40_503_517).toString(16)).join(""),
  base64: Buffer.from(Array.from({ length: 600 }, (_, index) => (index * 167 + (index >> 3)) % 256)).toString("base64"),
  emoji: "😀👩‍👩‍👧🇩🇪🔥🎉👍🏽 ".repeat(20),
  "a table in Markdown": `| name | place | since |\n|---|---|---|\n${"| Ana | Lisbon | 2024-05-01 |\n".repeat(12)}`,
};
