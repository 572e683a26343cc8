/** Reads addresses of any kind. */

/** `URL.canParse` of Node 20 says no to every address with letters such as ü once it is compiled, so it is not asked. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

export const isUrl = (text: string, base?: string): boolean => parseUrl(text, base) !== undefined;
