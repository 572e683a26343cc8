/** Reads addresses of any kind. */

/** Not `URL.canParse`: once optimised, that of Node 20 rejects every URL with non-ASCII letters. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

export const isUrl = (text: string, base?: string): boolean => parseUrl(text, base) !== undefined;
