/** Names that a peer sent, as error messages show them. */
import { escapeControls } from './control-characters.ts';

const maxChars = 100;

/** A name on one line, cut if it is long. */
export const shown = (name: string): string =>
  escapeControls(name.length > maxChars ? `${name.slice(0, maxChars)}…` : name);
