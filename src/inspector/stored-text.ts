/** Texts of servers that the inspector stores in addition to the message that they came in: cut, so that many of them do not fill its memory. */

/** The beginning of a text, for a line of the log or an error: the timeline has it whole. */
export const maxLineChars = 4000;

/** Names, methods and IDs in rows and events. */
export const maxNameChars = 1000;

/** The beginning of a longer text, as a copy: a part of a text holds the whole one in memory. */
export function beginningOf(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${JSON.parse(JSON.stringify(text.slice(0, maxChars)))}…`;
}
