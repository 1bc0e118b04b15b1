import { describe, expect, it } from "vitest";
import { isHousekeeping } from "../../src/door/is-housekeeping.ts";
import { takeOutHarness } from "../../src/language/take-out-harness.ts";

const asks = (newest: string, more: { system?: string; hasAnswers?: boolean; hasTools?: boolean } = {}) =>
  isHousekeeping({ system: "", hasTools: false, hasAnswers: false, maxTokens: undefined, newest, ...more });

describe("what a program asks for itself", () => {
  const CHORES: [string, string, string, boolean?][] = [
    [
      "next speaker",
      "",
      "Look only at your last turn in the conversation history above. Decide who should speak next, the user or the model, and answer with a JSON object with the fields reasoning and next_speaker.",
      true,
    ],
    [
      "search queries",
      "",
      '### Task:\nLook at the chat history and decide whether search queries are needed to answer the last message. Return 1-3 queries as JSON: { "queries": [] }.\n\n### Chat History:\n<chat_history>\nUSER: tea?\nASSISTANT: yes\n</chat_history>',
    ],
    [
      "emoji",
      "",
      'Reply with one emoji that fits the mood of this message, nothing else, no words or punctuation around it.\n\nMessage: """I moved to Lisbon and it is lovely here, I bought a boat"""',
    ],
    [
      "name",
      "",
      "Based on the chat history, give this conversation a short name of 10 characters at most. No quotes, no explanation.\n\nUser: I like tea.\nAssistant: Good.",
    ],
    [
      "chinese title",
      "你是一个会话助手，请把用户的会话总结为10个字以内的标题，不要使用标点符号，只返回标题。",
      "user: 我喜欢喝茶\nassistant: 好的",
    ],
    [
      "progressive summary",
      "",
      "Progressively sum up the lines of the conversation below, adding to the summary so far, and return the new summary.\n\nCurrent summary:\nThe human likes tea.\n\nNew lines of conversation:\nHuman: I moved.\nAI: Where to?\n\nNew summary:",
    ],
    [
      "memory extraction",
      'You organise personal information. From the conversation below extract facts and preferences about the user that are worth remembering. Return JSON: {"facts": []}.',
      "Input:\nuser: I live in Lisbon\nassistant: nice",
    ],
    [
      "memory manager",
      "You are a memory manager. Compare the new facts with the existing memories and decide for each whether to ADD, UPDATE, DELETE or do nothing. Return JSON only.",
      'Old: []\nNew: ["lives in Lisbon"]',
    ],
    [
      "autocomplete",
      "",
      '### Task:\nYou are an autocompletion system. Continue the text in <text> given the type in <type>, respond with JSON {"text": ""}.\n<type>General</type>\n<text>I live in Lis</text>',
    ],
    [
      "commit message",
      "You generate commit messages from diffs. Reply with the message only, in one line.",
      "diff --git a/x b/x\n+hello",
    ],
    [
      "title, other words",
      "Come up with a headline for the thread in at most six words; output plain text without quotes.",
      "I live in Lisbon and like tea",
    ],
    [
      "safety/prefix",
      'Your task is to classify whether the message below starts a new topic. Return JSON {"isNewTopic": true, "title": ""} and nothing else, no markdown.',
      "I live in Lisbon",
    ],
    [
      "quick replies",
      "",
      "Suggest three short follow-up questions that the user could ask next in this chat. Return a JSON array of strings, no explanations.\n\nConversation:\nuser: tea?\nassistant: yes",
    ],
    [
      "german title",
      "",
      "Erstelle einen kurzen Titel mit höchstens fünf Wörtern für die folgende Unterhaltung. Gib nur den Titel aus, ohne Anführungszeichen.\n\nNutzer: Ich mag Tee.\nAssistent: Gut.",
    ],
    [
      "french title",
      "Génère un titre court (5 mots maximum) pour cette conversation. Réponds uniquement avec le titre, sans guillemets ni ponctuation.",
      "J'habite à Lisbonne",
    ],
    [
      "spanish title",
      "Genera un título breve de no más de 5 palabras para esta conversación. Responde solo con el título, sin comillas.",
      "Vivo en Lisboa",
    ],
  ];
  it.each(CHORES)("is known: %s", (_, system, newest, hasAnswers = false) => {
    expect(asks(newest, { system, hasAnswers })).toBe(true);
    // Instructions that are the program's own order do not come with tools.
    if (system !== "") expect(asks(newest, { system, hasTools: true })).toBe(false);
  });

  it.each([
    "Give me a name for my boat, only one word please. We talked about the boat in our last conversation: it is blue, from 1974, and it lies in the harbour of Lisbon next to the fish market.",
    "Suggest three follow-up questions that I can ask my doctor next week, as a list with few words each; the conversation with her last Monday was about my knee and she was in a hurry all the time.",
    "Please extract the facts and preferences about me from this letter and return JSON, my conversation with the landlord is in it: Dear Ana, you asked for a flat with a balcony and a cat.",
    "Summarize the conversation below into a short text that I can send to my sister. Use simple words.\n\nMum: I am coming on Friday.\nMe: Good, I will fetch you.",
    "What emoji fits the mood of a message in which I tell my boss that I quit? Only one please, and say why in a few words, I have to write it today before the meeting at noon.",
    "Kannst du mir einen Titel für meinen Vortrag vorschlagen? Höchstens fünf Wörter. Es geht um die Unterhaltung mit meinem Großvater über den Hafen von Lissabon.",
    "Decide who should speak next at our meeting, the user group or the model builders, and answer with a short reason in a few words; the conversation history of the last meeting is in the notes that I gave you.",
  ])("is told from what a person asks for: %j", (words) => {
    expect(asks(words)).toBe(false);
    expect(asks(words, { system: "You are a helpful assistant. Answer in markdown, in few words." })).toBe(false);
  });
});

describe("what a program puts around the user's words", () => {
  it.each([
    [
      "<environment_info>\nmacOS\n</environment_info>\n<editorContext>\na.ts is open\n</editorContext>\n<reminderInstructions>\nuse the tools\n</reminderInstructions>\n<userRequest>\nI moved to Lisbon.\n</userRequest>",
      "I moved to Lisbon.",
    ],
    [
      "<additional_data>\nBelow are open files.\n<open_files>a.ts</open_files>\n</additional_data>\n<user_query>\nI moved to Lisbon.\n</user_query>",
      "I moved to Lisbon.",
    ],
    [
      "<task>\nI moved to Lisbon.\n</task>\n\n<environment_details>\n# Time\nnow\n</environment_details>",
      "I moved to Lisbon.",
    ],
    [
      "[ERROR] You did not use a tool in your previous response! Please retry with a tool use.\n\n# Reminder: Instructions for Tool Use\nuse xml\n\n# Next Steps\nretry",
      "",
    ],
    [
      "[TASK RESUMPTION] This task was interrupted 5 minutes ago. It may or may not be complete.\n\nLast command: ls",
      "",
    ],
    ["<bash-input>ls -la</bash-input>", ""],
    ["<bash-stdout>total 0</bash-stdout><bash-stderr></bash-stderr>", ""],
    [
      "I moved to Lisbon.\n\n--- Content from referenced files ---\nContent from @notes.txt:\nrope and tides\n--- End of content ---",
      "I moved to Lisbon.",
    ],
    [
      "<info-msg>\nIt is currently 2026-11-15 10:00:00\nWorking directory: /home/ada\n</info-msg>\nI moved to Lisbon.",
      "I moved to Lisbon.",
    ],
    [
      "The user has sent the following message:\nI moved to Lisbon.",
      "The user has sent the following message:\nI moved to Lisbon.",
    ],
    ["[Telegram Ada id:42 2026-11-15 10:43 UTC] I moved to Lisbon.", "I moved to Lisbon."],
    ["System: [2026-11-15 10:43:00 UTC] Exec finished (code 0)\n\nI moved to Lisbon.", "I moved to Lisbon."],
    ["<RUNTIME_INFORMATION>\nhosts: a\n</RUNTIME_INFORMATION>\nI moved to Lisbon.", "I moved to Lisbon."],
    ["I moved to Lisbon.\n\n<vscode_selection>x = 1</vscode_selection>", "I moved to Lisbon."],
    ["I moved to Lisbon.\n<available_skills><skill>pdf</skill></available_skills>", "I moved to Lisbon."],
    [
      "# Context from my IDE setup:\n\n## Open tabs:\n- a.ts: src/a.ts\n\n## My request for Codex:\nI moved to Lisbon.",
      "I moved to Lisbon.",
    ],
    ["<task>\nbuy milk\n</task> is what my list says", "<task>\nbuy milk\n</task> is what my list says"],
    ["[Note: this is mine] I moved", "[Note: this is mine] I moved"],
    ["[2026-11-15] dentist, [2026-11-16] boat", "[2026-11-15] dentist, [2026-11-16] boat"],
  ])("is told from them: %j", (text, own) => {
    expect(takeOutHarness(text).own).toBe(own);
  });

  it("is looked for once, however many tags nothing closes", () => {
    // Looked for again at each tag, a text of this length would take hours.
    for (const piece of ["<user_query>", "<a>", "<env_info>", "# Context from my IDE\n", '"""', "User: "]) {
      const text = piece.repeat(1_000_000 / piece.length);
      expect(takeOutHarness(`<user_query>x</user_query>${text}`).own, piece).toContain("x");
      expect(asks(text), piece).toBeDefined();
    }
  });
});
