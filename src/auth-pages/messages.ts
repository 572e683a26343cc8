/** Pages that only say something: an error, and the end of a sign-out. */
import { html } from './html.ts';
import { page } from './page.ts';
import { filled, type PageTexts, readTexts } from './texts.ts';

export interface ErrorPage {
  /** What happened and what to do, without secrets: the user reads it. */
  readonly text: string;
  /** The address of this server that leads back to the application. */
  readonly back?: string | undefined;
  /** Where the user may go on, knowing the host. */
  readonly link?: URL | undefined;
  /** Names the entry in the log of the server. */
  readonly eventId?: string | undefined;
  readonly texts?: Partial<PageTexts> | undefined;
}

export function errorPage({ text, back, link, eventId, texts: own }: ErrorPage): string {
  const texts = readTexts(own);
  return page(
    { title: texts.errorTitle, language: texts.language },
    html`<p>${text}</p>
${back !== undefined && html`<p><a href="${back}">${texts.back}</a></p>`}
${link !== undefined && html`<p><a href="${link.href}" rel="noreferrer">${filled(texts.goTo, { host: link.host })}</a></p>`}
${eventId !== undefined && html`<p class="soft">${filled(texts.eventId, { id: eventId })}</p>`}`,
  );
}

export function signedOutPage({ texts: own }: { readonly texts?: Partial<PageTexts> | undefined } = {}): string {
  const texts = readTexts(own);
  return page({ title: texts.signedOutTitle, language: texts.language }, html`<p>${texts.signedOutText}</p>`);
}
