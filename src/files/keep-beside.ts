import { textsIn } from "../language/texts-in.ts";
import type { MessageInput } from "../session/message.ts";
import type { Workspace } from "../workspace.ts";
import { withoutWords, writeBeside } from "./forgotten.ts";

/**
 * Lets the whole of a long result, or a picture, be written beside a session, and gives what is stored of its message.
 * Of one that says, in any part, what was forgotten since it came in only its place is left, and nothing is written.
 */
export function keepBeside(
  workspace: Workspace,
  session: string,
  { said, message, heard }: { said: MessageInput; message: MessageInput; heard: string | undefined },
  keep: () => Promise<void>,
): Promise<MessageInput> {
  return writeBeside(workspace, heard, async (isForgotten) => {
    if (isForgotten({ texts: textsIn(said), session })) return withoutWords(message);
    await keep();
    return message;
  });
}
