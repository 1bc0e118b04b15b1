/** The key that a caller sends, and the header that it came in. */
export interface CallerKey {
  key: string;
  header: "authorization" | "x-api-key";
}

/** Reads a caller's key: as a bearer token, or as Anthropic's clients send theirs. */
export function callerKey(request: Request): CallerKey | undefined {
  const bearer = /^Bearer\s+(\S.*)$/i.exec(request.headers.get("authorization") ?? "")?.[1]?.trim();
  if (bearer) return { key: bearer, header: "authorization" };
  const key = request.headers.get("x-api-key")?.trim();
  return key ? { key, header: "x-api-key" } : undefined;
}
