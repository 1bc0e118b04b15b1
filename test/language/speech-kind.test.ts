import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { speechKind } from "../../src/language/speech-kind.ts";
import { takeOutHarness, wordsWithoutHarness } from "../../src/language/take-out-harness.ts";

describe("speechKind", () => {
  it.each([
    "Where do I keep the spare key?",
    "Do you remember what my dog is called?",
    "do you still remember my sister's name?",
    "hmm, and what's my dentist called?",
    "In which year did Ana graduate?",
    "After the move to Bonn, where did she work?",
    "can you remind me what the wifi password is",
    "Summarize what we said about the garden.",
    "Please list my allergies. Mention only three.",
    "Remind me of the name of our plumber",
    "What did Mrs. Hale bring to the fair, and who drove her?",
    "What did we pack for the island? (List at least three)",
    "Welche Allergien habe ich?",
    "¿Dónde vive mi hermana?",
    "Quel est mon restaurant préféré ?",
    "Wat is de naam van mijn hond?",
    "我住在哪里？",
    "私の誕生日はいつですか",
    "Hey there! How old is my cat?",
  ])("takes %j for a question", (text) => {
    expect(speechKind(text, "person")).toBe("question");
  });

  it.each([
    "I'm allergic to nuts.",
    "Will is my brother.",
    "Do not wait for me on Fridays.",
    "Remind me to pay the mooring",
    "Erinnere mich an den Zahnarzt am Montag",
    "Remember that my sister lives in Ghent.",
    "When I was ten we moved to Bonn.",
    "我住在柏林。",
    "What a day, the roof leaks again!",
  ])("takes %j for a statement", (text) => {
    expect(speechKind(text, "person")).toBe("statement");
  });

  it.each([
    "I moved to Bonn in May, did I tell you?",
    "We got a cat called Miso. What should she eat?",
    "Which tent is best, since we now camp with two dogs in winter?",
    "My landlord is Mr. Reyes, can you draft a letter?",
  ])("sees that %j tells something and asks something", (text) => {
    expect(speechKind(text, "person")).toBe("both");
  });

  it.each(["hey there", "Thanks a lot!", "ok, got it", "Guten Morgen", "好的，谢谢"])(
    "takes %j for a phrase, whoever says it",
    (text) => {
      expect(speechKind(text, "person")).toBe("phrase");
      expect(speechKind(text, "assistant")).toBe("phrase");
    },
  );

  it.each(["Kept.", "Found in memory: memory/MEMORY.md:3", "Nothing on record answers this."])(
    "takes the assistant's %j for a phrase",
    (text) => {
      expect(speechKind(text, "assistant")).toBe("phrase");
    },
  );

  it("takes what stands in a file at its word", () => {
    expect(speechKind("- Where is the key? Under the mat", "file")).toBe("statement");
    expect(speechKind("- ok", "file")).toBe("statement");
  });
});

describe("wordsWithoutHarness", () => {
  it("leaves the user's words, and nothing of what a program put around them", () => {
    const text = "<system-reminder>\nToday is Friday. Use the tools.\n</system-reminder>\nMy desk is by the window.";
    expect(wordsWithoutHarness(text).trim()).toBe("My desk is by the window.");
    expect(wordsWithoutHarness("<environment_context>\n<cwd>/home</cwd>\n</environment_context>").trim()).toBe("");
    expect(wordsWithoutHarness("[Request interrupted by user]").trim()).toBe("");
    expect(wordsWithoutHarness("Generate a concise title for this conversation in 5 words.").trim()).toBe("");
  });

  it("keeps what a person pastes", () => {
    const pasted = "<div><p>Opening hours: 9 to 5</p></div> [draft] and a < b";
    expect(wordsWithoutHarness(pasted)).toBe(pasted);
    expect(wordsWithoutHarness("Write a title for my talk on tides")).toBe("Write a title for my talk on tides");
  });
});

describe("what a quick look rules out", () => {
  it.each(
    "Got it.|Let me know if you need more!|How can I help you today?|You are welcome.|No worries.|Sounds good.|Will do.|See you.|Of course.|Is there anything else I can do?|Anything else?|Thank you.|Happy to help.|Glad to help.|I will remember that.|I'll note that.|Okay, sounds good!".split(
      "|",
    ),
  )("is not the phrase %j", (text) => {
    expect(speechKind(text, "assistant")).toBe("phrase");
  });

  it.each(["Iris got it.", "Of the two, tea.", "See the roof again.", "Tea, thanks.", "No milk."])(
    "nor does it make a phrase of %j",
    (text) => {
      expect(speechKind(text, "assistant")).toBe("statement");
    },
  );

  it("is nothing that a program adds", () => {
    const piece = fc.constantFrom(
      "I like tea, and so on.",
      "This is it",
      "the current state",
      "content from referenced files",
      "<system-reminder>be brief</system-reminder>",
      "<user_query>tea?</user_query>",
      "INTERNAL_CONTEXT a=b",
      "Runtime: host=a | os=b",
      "current date: Monday",
      "Current time and time: 10:00",
      "--- Content from referenced files ---\nx\n--- End of content ---",
      "# Context from my IDE setup\nx\n## My request for Codex:\n",
      "Conversation info (untrusted metadata):\n```json\n{}\n```",
      "[Request interrupted by user]",
      "[Telegram Ann 2026-05-01 10:00]",
      "System: [2026-05-01 10:00] woke",
      "This session is being continued from a previous conversation",
      "Another language model started to solve this problem",
      "The conversation history before this point was compacted",
      "Caveat: The messages below were generated by the user while running local commands",
      "# AGENTS.md instructions for x",
      "[TASK RESUMPTION]",
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 3 }), fc.constantFrom("", " ", "\n"), (pieces, lead) => {
        const text = lead + pieces.join("\n");
        // A bracket that opens nothing has it looked at closely.
        expect(takeOutHarness(text).added === "").toBe(takeOutHarness(`${text}\n<`).added === "");
      }),
      { numRuns: 400 },
    );
  });
});
