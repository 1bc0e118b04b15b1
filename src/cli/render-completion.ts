import type { Command } from "commander";

/**
 * The script that completes commands and options in a shell: it knows them by heart. A process is started for the names
 * of sessions alone.
 */
export function renderCompletion(program: Command, shell: string): string {
  const nodes = [...walk(program, [])];
  if (shell === "fish") return renderFish(nodes);
  return shell === "zsh" ? renderZsh(nodes) : renderBash(nodes);
}

interface Node {
  path: string[];
  commands: { name: string; about: string }[];
  options: { flags: string[]; about: string; takesValue: boolean; takesSession: boolean }[];
  /** Whether it is about a session, which it is told by its key. */
  takesSession: boolean;
}

function* walk(command: Command, path: string[]): Generator<Node> {
  yield {
    path,
    commands: command.commands.flatMap((each) =>
      [each.name(), ...each.aliases()].map((name) => ({ name, about: each.description() })),
    ),
    options: [
      ...command.options.map(({ short, long, description, required }) => ({
        flags: [short, long].filter((flag) => flag !== undefined && flag !== null),
        about: description,
        takesValue: required,
        takesSession: long === "--session",
      })),
      { flags: ["-h", "--help"], about: "print this help", takesValue: false, takesSession: false },
    ],
    takesSession: command.registeredArguments.some(({ description }) => /\bsession's key\b/.test(description)),
  };
  for (const each of command.commands) yield* walk(each, [...path, each.name()]);
}

function renderBash(nodes: readonly Node[]): string {
  const cases = nodes.map(({ path, commands, options }) => {
    const words = [...commands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)].join(" ");
    return `    "${path.join(" ")}") words="${words}" ;;`;
  });
  return `# tidemark completion for bash: source <(tidemark completion bash)
${sessionsFunction('"${!at}"', '"${!next}"')}
_tidemark() {
  # Keys of sessions have colons, at which bash parts words: the line itself is read.
  local line="\${COMP_WORDS[*]}" current="" path="" words="" word
  [ -n "\${COMP_LINE-}" ] && line="\${COMP_LINE:0:COMP_POINT}"
  local -a typed
  read -ra typed <<< "$line"
  case "$line" in *" ") ;; *) current="\${typed[\${#typed[@]} - 1]}"; unset "typed[\${#typed[@]} - 1]" ;; esac
  for word in "\${typed[@]:1}"; do
    case "$word" in -*) continue ;; esac
    case " ${listPaths(nodes)} " in *"|\${path:+$path }$word|"*) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  case "$path|\${typed[\${#typed[@]} - 1]}" in
    ${sessionPatterns(nodes)}) case "$current" in -*) ;; *) words="$(_tidemark_sessions "\${typed[@]}") $words" ;; esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$COMP_WORDBREAKS|$current" in
    *:*"|"*:*) COMPREPLY=("\${COMPREPLY[@]#"\${current%"\${current##*:}"}"}") ;;
  esac
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _tidemark tidemark
`;
}

/** Lists the sessions of the workspace that the line names. */
function sessionsFunction(word: string, next: string): string {
  return `_tidemark_sessions() {
  local at next
  local -a place
  for ((at = 1; at < $#; at++)); do
    next=$((at + 1))
    case ${word} in -w | --workspace | --store | --cache) place+=(${word} ${next}) ;; esac
  done
  command tidemark sessions --names "\${place[@]}" 2>/dev/null
}`;
}

/** Where a session's key is wanted: after an option that takes one, and as the word of a command that does. */
function sessionPatterns(nodes: readonly Node[]): string {
  const patterns = nodes.flatMap(({ path, options, takesSession }) => [
    ...(takesSession ? [`"${path.join(" ")}|"*`] : []),
    ...options
      .filter((option) => option.takesSession)
      .flatMap(({ flags }) => flags.map((flag) => `"${path.join(" ")}|${flag}"`)),
  ]);
  return patterns.join(" | ");
}

function listPaths(nodes: readonly Node[]): string {
  return `|${nodes.map(({ path }) => path.join(" ")).join("|")}|`;
}

function renderZsh(nodes: readonly Node[]): string {
  const cases = nodes.map(({ path, commands, options }) => {
    const words = [
      ...commands.map(({ name, about }) => `'${quoteForZsh(name)}:${quoteForZsh(about)}'`),
      ...options.flatMap(({ flags, about }) => flags.map((flag) => `'${quoteForZsh(flag)}:${quoteForZsh(about)}'`)),
    ];
    return `    "${path.join(" ")}") choices=(${words.join(" ")}) ;;`;
  });
  return `#compdef tidemark
# tidemark completion for zsh: tidemark completion zsh > "\${fpath[1]}/_tidemark"
${sessionsFunction('"${@[at]}"', '"${@[next]}"')}
_tidemark() {
  local path_so_far="" word
  local -a choices names
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    [[ "$word" == -* ]] && continue
    [[ "${listPaths(nodes)}" == *"|\${path_so_far:+$path_so_far }$word|"* ]] && path_so_far="\${path_so_far:+$path_so_far }$word"
  done
  case "$path_so_far" in
${cases.join("\n")}
  esac
  case "$path_so_far|\${words[CURRENT - 1]}" in
    ${sessionPatterns(nodes)}) names=("\${(@f)$(_tidemark_sessions "\${words[@]}")}"); compadd -a names && return ;;
  esac
  _describe 'tidemark' choices || _files
}
# Loaded by its name, this file is the first call; sourced, it only says what it is for.
if [[ "\${funcstack[1]}" == "_tidemark" ]]; then _tidemark "$@"; else compdef _tidemark tidemark; fi
`;
}

function renderFish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, commands, options, takesSession }) => {
    const children = commands.map(({ name }) => name).join(" ");
    const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`);
    const none = children === "" ? [] : [`not __fish_seen_subcommand_from ${children}`];
    const when = [...seen, ...none].join("; and ");
    const condition = when === "" ? "" : ` -n ${quoteForFish(when)}`;
    return [
      ...commands.map(({ name, about }) => `complete -c tidemark -f${condition} -a ${name} -d ${quoteForFish(about)}`),
      ...(takesSession ? [`complete -c tidemark -f${condition} -a '(__tidemark_sessions)'`] : []),
      ...options.map((option) => {
        const names = option.flags.map((flag) => `${flag.startsWith("--") ? "-l" : "-s"} ${flag.replace(/^--?/, "")}`);
        const plain = option.takesValue ? " -r" : "";
        const value = option.takesSession ? " -x -a '(__tidemark_sessions)'" : plain;
        return `complete -c tidemark${condition} ${names.join(" ")}${value} -d ${quoteForFish(option.about)}`;
      }),
    ];
  });
  return `# tidemark completion for fish: tidemark completion fish > ~/.config/fish/completions/tidemark.fish
${FISH_SESSIONS}
${lines.join("\n")}
`;
}

// In the workspace that the line names.
const FISH_SESSIONS = `function __tidemark_sessions
  set -l words (commandline -opc)
  set -l place
  for at in (seq 2 (count $words))
    contains -- $words[$at] -w --workspace --store --cache; and set -a place $words[$at] $words[(math $at + 1)]
  end
  command tidemark sessions --names $place 2>/dev/null
end`;

function quoteForZsh(text: string): string {
  return text.replaceAll(/['[\]:\\]/g, (each) => (each === "'" ? "'\\''" : `\\${each}`));
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
