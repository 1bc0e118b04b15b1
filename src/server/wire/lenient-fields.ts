import { z } from "zod";

/** Text, or nothing: one odd field takes nothing else of an answer away. */
export const lenientText = z.string().nullish().catch(undefined);

/** Arguments of a call; some providers send them as they are, and not as text. */
export const lenientArguments = z
  .union([z.string(), z.record(z.string(), z.unknown()).transform((given) => JSON.stringify(given))])
  .nullish()
  .catch(undefined);

/** Those of a list that can be read. */
export function lenientList<Each extends z.ZodType>(each: Each) {
  return z.array(z.unknown()).transform((given) =>
    given.flatMap((value): z.output<Each>[] => {
      const read = each.safeParse(value);
      return read.success ? [read.data] : [];
    }),
  );
}
