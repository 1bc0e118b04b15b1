import { z } from "zod";
import { describeError } from "../errors.ts";

/** What the journal holds of a change that was set aside, as far as it must be known to forget it. */
export const AsidePayload = z
  .string()
  .transform((text, context) => {
    try {
      return z.unknown().parse(JSON.parse(text));
    } catch (error) {
      context.addIssue(describeError(error));
      return z.NEVER;
    }
  })
  .pipe(z.looseObject({ run: z.looseObject({ session: z.string() }) }));
