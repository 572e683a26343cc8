/** Joins `server.update(…)` calls at the top level of a file in the definition of their server. */
export function tidyFile(_path: string, text: string): string {
  return text;
}
