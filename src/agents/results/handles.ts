/** Long results: the model gets the beginning, the end and a handle, and reads more by `read_more`. */
import type { ResultStore } from '../../store/result-store.ts';
import { endOfHead, startOfTail } from './cut.ts';
import type { ReadMoreAnswer } from './read-more-text.ts';
import { type ResourceLinkContent, readContent, type StoredContent, writeContent } from './stored-content.ts';

/** The long results of one conversation. */
export interface ResultHandles {
  /** The text as the model gets it: whole, or its beginning, a line with the handle, and its end. Never throws. */
  shorten(text: string): Promise<string>;
  /** Stores what the model cannot get as it is, and returns the handle; `undefined` if it cannot be stored. Never throws. */
  store(content: StoredContent): Promise<string | undefined>;
  /** Answers a call of `read_more`. Every failure is an answer that a model can act on. */
  readMore(args: unknown): Promise<ReadMoreAnswer>;
  /** What is behind a handle, for programs. */
  content(handle: string): Promise<StoredContent | undefined>;
}

export interface ResultHandlesOptions {
  /** Characters of a text for the model. */
  readonly maxChars: number;
  /** Characters of all stored results of the conversation. */
  readonly maxStoredChars: number;
  /** How long they are stored. */
  readonly ttlMs: number;
  readonly store: ResultStore;
  /** The conversation, with its user: handles of another one are unknown. */
  readonly owner: string;
  /** Reads a linked resource, with all checks of the host. */
  readonly readResource?: ((link: ResourceLinkContent) => Promise<string>) | undefined;
  /** Called with what failed in the store. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Stored results of a conversation.
 * @limit agents
 * @beyond the oldest is deleted; the model gets the advice to call the tool again
 */
export const maxHandles = 64;

/** Of a text that is cut, this share is its beginning. */
const headShare = 0.75;

export function createResultHandles(options: ResultHandlesOptions): ResultHandles {
  const { maxChars, maxStoredChars, ttlMs, owner, readResource, onError = () => undefined } = options;
  const room = { ttlMs, maxResults: maxHandles, maxChars: maxStoredChars };

  async function put(handle: string, content: StoredContent): Promise<boolean> {
    const text = writeContent(content);
    if (text.length > maxStoredChars) return false;
    try {
      await options.store.write(owner, handle, text, room);
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  async function store(content: StoredContent): Promise<string | undefined> {
    const handle = newHandle();
    return (await put(handle, content)) ? handle : undefined;
  }

  async function content(handle: string): Promise<StoredContent | undefined> {
    const stored = await options.store.read(owner, handle);
    return stored === undefined ? undefined : readContent(stored);
  }

  return {
    store,
    content,
    async shorten(text) {
      if (text.length <= maxChars) return text;
      const end = endOfHead(text, Math.floor(maxChars * headShare));
      const start = Math.max(end, startOfTail(text, maxChars - Math.floor(maxChars * headShare)));
      const handle = await store({ type: 'text', text });
      return [text.slice(0, end).replace(/\n$/, ''), leftOut(handle, text, end, start), text.slice(start)].join('\n');
    },
    async readMore(args) {
      const { readMore } = await import('./read-more.ts');
      return readMore(args, { maxChars, content, put, readResource, onError });
    },
  };
}

/** Unique among the handles of a conversation, also of one that another process continues. */
function newHandle(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return `r${Array.from(bytes, (byte) => letters[byte % letters.length]).join('')}`;
}

const letters = 'abcdefghijkmnpqrstuvwxyz23456789';

function leftOut(handle: string | undefined, text: string, end: number, start: number): string {
  const count = `${shownNumber(start - end)} of ${shownNumber(text.length)} characters left out`;
  if (handle === undefined)
    return `[${count}, and not stored. Call the tool again for less, such as a page or a filter]`;
  return `[${handle}: ${count}. read_more({ handle: "${handle}", from: ${end} }) or { handle, find: "text" }]`;
}

const shownNumber = (value: number): string => value.toLocaleString('en-US');
