/** What a peer sent, as texts of errors show it. */
import { escapeControls } from './control-characters.ts';

const most = 100;

/** The name of something, on one line and cut where it is long: an error need not send it back whole. */
export const shown = (name: string): string => escapeControls(name.length > most ? `${name.slice(0, most)}…` : name);
