/** Answers of the pages: HTML with its headers, redirects, and errors that an event explains. */
import type { ServerResponse } from 'node:http';
import { errorPage, pageHeaders } from '../../auth-pages/index.ts';
import { type AuthorizationServerEvent, createEventId } from '../events.ts';
import type { Parts } from '../parts.ts';

export function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, pageHeaders);
  response.end(html);
}

/** 303, so that the browser sends a GET and no body. */
export function redirect(response: ServerResponse, url: string): void {
  response.writeHead(303, { location: url, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  response.end();
}

/** A page that ends a sign-in. Its text is for the user; the event has the cause. */
export class PageError extends Error {
  readonly status: number;
  readonly event: Partial<AuthorizationServerEvent>;
  /** The path that ends the sign-in with the error, so that the client learns of it. */
  readonly back: string | undefined;

  constructor(status: number, text: string, event: Partial<AuthorizationServerEvent> = {}, back?: string) {
    super(text);
    this.status = status;
    this.event = event;
    this.back = back;
  }
}

/** Sends the page of an error, and reports it under the ID that the page shows. */
export function sendError(
  response: ServerResponse,
  error: unknown,
  { report, settings }: Pick<Parts, 'report' | 'settings'>,
): void {
  const id = createEventId();
  const known = error instanceof PageError ? error : unexpected(error);
  report({ type: known.status >= 500 ? 'failed' : 'refused', reason: known.message, id, ...known.event });
  if (response.headersSent) return void response.destroy();
  const { status, message: text, back } = known;
  sendPage(response, status, errorPage({ text, back, eventId: id, texts: settings.texts }));
}

const unexpected = (cause: unknown): PageError =>
  new PageError(500, 'The sign-in failed on the server. Try again later.', { cause });
