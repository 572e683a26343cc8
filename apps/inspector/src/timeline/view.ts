/** How the timeline is shown, and what is shown of the chosen row. */
import { signal } from '@preact/signals';

export const timelineView = signal<'list' | 'sequence' | 'numbers'>('list');

/** The message, the state of all connections right after it, or an editor to send it again. */
export const sideView = signal<'message' | 'state' | 'send'>('message');
