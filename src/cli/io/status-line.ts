/** The line of a spinner or a bar, which is drawn over and over: other text must not be appended to it. */

/** Begins each drawing of the line, and removes it. */
export const clearLine = '\r\u001b[2K';

/** Writes texts one after the other; a status line makes room for the text that follows it. */
export function overStatusLine(write: (text: string) => void): (text: string) => void {
  let isStatus = false;
  return (text) => {
    const isDrawing = text.startsWith(clearLine);
    write(isStatus && !isDrawing ? `${clearLine}${text}` : text);
    isStatus = isDrawing && text !== clearLine;
  };
}
