/** The line of a spinner or a progress bar. It is redrawn in place, so other text must not be appended to it. */

/** Begins each drawing of the line, and removes it. */
export const clearLine = '\r\u001b[2K';

/** Removes the status line before any other text is written. */
export function overStatusLine(write: (text: string) => void): (text: string) => void {
  let isStatus = false;
  return (text) => {
    const isDrawing = text.startsWith(clearLine);
    write(isStatus && !isDrawing ? `${clearLine}${text}` : text);
    isStatus = isDrawing && text !== clearLine;
  };
}
