import { describe, expect, it } from "vitest";
import { isHousekeeping } from "../../src/door/is-housekeeping.ts";
import { takeOutHarness } from "../../src/language/take-out-harness.ts";

const ask = (newest: string, more: Partial<Parameters<typeof isHousekeeping>[0]> = {}) =>
  isHousekeeping({ system: "", newest, hasTools: false, hasAnswers: false, maxTokens: undefined, ...more });

describe("an order of a program's", () => {
  it.each([
    "Write a structured summary of this conversation so that another coding agent is able to go on with the work.",
    "Your task is to write a very detailed summary of the older part of this conversation.",
    "<conversation>\nUser: my boat leaks\n</conversation>\nUpdate the previous summary with what is new in the conversation above.",
    "Generate one line: a session recap now, in the language of the user. Do not call tools.",
    "Think in a scratchpad first. After that, produce the whole <state_snapshot> and nothing behind it.",
    "You are acting as the memory extraction agent: look at the last 20 messages and write down what lasts.",
    "Summarize the conversation like a pull request description, in two sentences, without names of files.",
    "Provide a summary of the chat history for future sessions, in Markdown, without using any tools.",
  ])("comes at the end of a conversation, with tools and answers: %j", (order) => {
    expect(ask(order, { system: "You are a coding agent.", hasTools: true, hasAnswers: true })).toBe(true);
  });

  it.each([
    "You are a conversation summarizer. You are given a long talk and return its key points as XML.",
    "You are an assistant tasked with summarizing conversations.",
    "Your job is to compress. You are the context compressor of an agent; return only the compressed text.",
    "You are naming a chat session so that people find it again. Two to five words.",
    "You are selecting memories that help with the next message. Reply with a list of names.",
    "Your task: go through past sessions and extract lasting memories.",
  ])("is what the model is to be, whatever is shown to it: %j", (system) => {
    expect(ask("My boat leaks.", { system })).toBe(true);
    expect(ask("My boat leaks.", { system, hasAnswers: true })).toBe(true);
  });

  it.each([
    "Create a one-line summary of the French revolution, and of its history in the context of the time",
    "Write a Python context manager that can resume a session from a snapshot, please",
    "Produce a snapshot test for the session component without using any tools",
    "Write a summary of the conversation between Romeo and Juliet on the balcony, 100 words at most",
    "Please write a summary of our conversation for my notes, so that I can go on tomorrow",
    "Run a pass over the garden with the mower, and perform a check of the memory of the computer",
  ])("is told from what a person wants: %j", (words) => {
    expect(ask(words)).toBe(false);
    expect(ask(words, { hasTools: true, hasAnswers: true })).toBe(false);
  });

  it.each([
    "You are a helpful assistant.",
    "You are a helpful assistant that can summarize conversations and translate texts.",
    "You are Ada, who summarizes chats, answers letters and books trips.",
    "You are a tutor who summarizes each lesson at the end of the session.",
    "You are an expert in video compression. You answer messages.",
    "You are a memory coach; people train their memories in short sessions with you.",
    "You are a coding agent. When the conversation grows long, its context is summarized by the program.",
  ])("is told from who an assistant is: %j", (system) => {
    expect(ask("I moved to Lisbon.", { system })).toBe(false);
    expect(ask("I moved to Lisbon.", { system, hasAnswers: true })).toBe(false);
  });
});

describe("a block of a program's", () => {
  it.each([
    "subagent_notification",
    "agent-message",
    "mcp-resource",
    "current_file",
    "available_agents",
    "conversation_summary",
    "previous-summary",
    "image_resize_notice",
    "background-tasks",
    "todo_list",
    "user_rules",
    "currentFileInfo",
  ])("has lines of its own and a name of two words: <%s>", (tag) => {
    const block = `<${tag}>\nsomething that nobody said\n</${tag}>`;
    expect(takeOutHarness(`${block}\n\nI moved to Lisbon.`).own).toBe("I moved to Lisbon.");
    expect(takeOutHarness(`I moved to Lisbon.\n${block}`)).toEqual({ own: "I moved to Lisbon.", added: block });
    expect(takeOutHarness(`${block}<system-reminder>x</system-reminder>\nI moved.`).own).toBe("I moved.");
  });

  it.each([
    "What does <current_file>x</current_file> mean in a prompt?",
    "<user_story>\nAs a sailor I want wind.\n</user_story>\nIs it good?",
    "<meeting_notes>\nAnn came late.\n</meeting_notes>\nSort these.",
    "<cover-letter>Dear Sir</cover-letter>\nToo stiff?",
    "<summary>\nAll is well.\n</summary>\nToo short?",
    "I opened <tool_box> and never closed it",
  ])("is told from what a person writes: %j", (text) => {
    expect(takeOutHarness(text)).toEqual({ own: text, added: "" });
  });
});
