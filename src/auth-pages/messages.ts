/** Pages that only say something: an error, and the end of a sign-out. */
import { html } from './html.ts';
import { page } from './page.ts';
import { filled, type PageTexts, readTexts } from './texts.ts';

export interface ErrorPage {
  /** Default: the text `errorTitle`. */
  readonly title?: string | undefined;
  /** What happened and what to do, without secrets: the user reads it. */
  readonly text: string;
  /** Names the entry in the log of the server. */
  readonly eventId?: string | undefined;
  readonly texts?: Partial<PageTexts> | undefined;
}

export function errorPage({ title, text, eventId, texts: own }: ErrorPage): string {
  const texts = readTexts(own);
  return page(
    { title: title ?? texts.errorTitle, language: texts.language },
    html`<p>${text}</p>
${eventId !== undefined && html`<p class="soft">${filled(texts.eventId, { id: eventId })}</p>`}`,
  );
}

export function signedOutPage({ texts: own }: { readonly texts?: Partial<PageTexts> | undefined } = {}): string {
  const texts = readTexts(own);
  return page({ title: texts.signedOutTitle, language: texts.language }, html`<p>${texts.signedOutText}</p>`);
}
