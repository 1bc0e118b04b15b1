import { chatWire } from "./chat/chat-wire.ts";
import { messagesWire } from "./messages/messages-wire.ts";
import { responsesWire } from "./responses/responses-wire.ts";
import type { Wire, WireName } from "./wire.ts";

/** Every wire by its name. */
export const WIRES: Readonly<Record<WireName, Wire>> = {
  chat: chatWire,
  responses: responsesWire,
  messages: messagesWire,
};
