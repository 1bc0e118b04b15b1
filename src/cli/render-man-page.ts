import type { Command } from "commander";
import { EXAMPLES } from "./examples.ts";

/** The man page, from the same words as the help. */
export function renderManPage(program: Command, version: string): string {
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  return [
    `.TH TIDEMARK 1 "" "tidemark ${version}" "User Commands"`,
    ".SH NAME",
    "tidemark \\- the memory of an AI agent, over a folder of plain files",
    ".SH SYNOPSIS",
    ".B tidemark\n[\\-w DIR] COMMAND [OPTIONS]",
    ".SH DESCRIPTION",
    "Tidemark keeps every word of a conversation in append-only sessions, digests old stretches into a short file of facts (MEMORY.md) and a diary (HISTORY.md), and finds them again. It works without a model; a model makes it better.",
    ".SH COMMANDS",
    ...commands.flatMap((command) => renderCommand(command)),
    ".SH ENVIRONMENT",
    ".TP\n.B TIDEMARK_WORKSPACE\nthe workspace, unless \\-w names one; ~/.tidemark/workspace by default",
    ".TP\n.B TIDEMARK_STORE\nwhere the workspace lies instead of in a folder: postgres://…, unless \\-\\-store names another",
    ".TP\n.B TIDEMARK_CACHE\nthe folder where workspaces in a database are cached on this machine, unless \\-\\-cache names another",
    ".TP\n.B TIDEMARK_MODEL\nthe model, provider/model; stronger than the configuration",
    ".TP\n.B TIDEMARK_PAGER, PAGER\nthe pager for long output on a terminal; empty for none",
    ".TP\n.B NO_COLOR\nno colours",
    ".TP\n.B TIDEMARK_DEBUG\n1 prints where an error comes from",
    ".SH EXIT STATUS",
    "0 done, 1 failed, 2 wrong usage",
    "",
  ].join("\n");
}

function renderCommand(command: Command): string[] {
  const path = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  const usage = command.registeredArguments.map((each) => {
    const name = `${each.name()}${each.variadic ? "..." : ""}`;
    return each.required ? `<${name}>` : `[${name}]`;
  });
  return [
    `.SS "${escape([path, ...usage].join(" "))}"`,
    escape(command.description()),
    ...command.options.map(({ flags, description }) => `.TP\n.B ${escape(flags)}\n${escape(description)}`),
    ...(EXAMPLES[path] ?? []).map((line) => `.PP\n.nf\n    ${escape(line)}\n.fi`),
  ];
}

function escape(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1");
}
