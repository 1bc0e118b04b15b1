/** A text without the passwords of the addresses in it. */
export function maskAddresses(text: string): string {
  return text
    .replaceAll(/\b([a-z][a-z\d+.-]+:\/\/)([^\s@/:]*):[^\s@]*@/gi, "$1$2:…@")
    .replaceAll(/\b(postgres(?:ql)?:\/\/\S*?[?&](?:password|sslpassword)=)[^\s&]*/gi, "$1…");
}
