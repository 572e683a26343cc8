/** The pages of a sign-in and of approvals: HTML without script, and the headers that it is sent with. */
export { accountPage } from './account.ts';
export { approvalListPage, approvalPage, type ShownCall } from './approvals.ts';
export { consentPage } from './consent.ts';
export { errorPage, signedOutPage } from './messages.ts';
export { pageHeaders } from './page.ts';
export { isTextName, type PageTexts } from './texts.ts';
