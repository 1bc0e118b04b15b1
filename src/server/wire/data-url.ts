/** The two halves of a data URL; undefined for any other address. */
export function splitDataUrl(url: string): { mediaType: string; data: string } | undefined {
  const [, mediaType, data] = /^data:([^;,]*)(?:;[^;,]*)*;base64,([\s\S]*)$/i.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { mediaType, data };
}

/** Puts them together. */
export function joinDataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}
