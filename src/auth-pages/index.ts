/** The pages of a sign-in: HTML without script, and the headers that it is sent with. */
export { type AccountPage, type ApprovedClient, accountPage } from './account.ts';
export { type ConsentPage, consentPage, type ShownClient } from './consent.ts';
export { type ErrorPage, errorPage, signedOutPage } from './messages.ts';
export { pageHeaders } from './page.ts';
export type { PageTexts } from './texts.ts';
