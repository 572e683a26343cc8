/** The pages of approvals: what waits for an approver, and one call with everything that it would do. */
import { type Html, html } from './html.ts';
import { page } from './page.ts';

/** An approval, with its texts as a person reads them. */
export interface ShownCall {
  readonly id: string;
  /** Where its page is. */
  readonly address: string;
  readonly server: string;
  readonly tool: string;
  /** The beginning of its arguments, in one line. */
  readonly given: string;
  /** Who calls; absent for a caller who has not signed in. */
  readonly requester?:
    | { readonly name: string; readonly issuer: string; readonly client?: string | undefined }
    | undefined;
  readonly openUntil: string;
}

export interface ApprovalListPage {
  /** Who is signed in. */
  readonly user: string;
  readonly calls: readonly ShownCall[];
}

export const approvalListPage = ({ user, calls }: ApprovalListPage): string =>
  page(
    { title: 'Approvals', isWide: true },
    html`<p>You are signed in as <b>${user}</b>.</p>
<p>${calls.length === 0 ? 'No call waits for you.' : 'These calls wait for your decision:'}</p>
${
  calls.length > 0 &&
  html`<ul class="cards">${calls.map(
    (call) => html`<li><a href="${call.address}"><b>${call.tool}</b> of <b>${call.server}</b></a>
<div><code>${call.given}</code></div>
<div class="soft">${callerOf(call)} · open until ${call.openUntil} · ${call.id}</div></li>
`,
  )}</ul>`
}
<p class="soft">This page shows what waited when it was loaded.</p>`,
  );

export interface ApprovalPage {
  readonly call: ShownCall;
  /** Where all of them are. */
  readonly list: string;
  /** The arguments as JSON, with what is not seen escaped. */
  readonly arguments: string;
  /** Those with which the tool runs, if they are others. */
  readonly validated?: string | undefined;
  readonly rule?: string | undefined;
  readonly requestedAt: string;
  readonly digest: string;
  /** What was decided; absent while it waits. */
  readonly decided?:
    | {
        readonly state: 'approved' | 'denied' | 'used';
        readonly by: string;
        readonly at: string;
        readonly reason?: string | undefined;
        readonly usedAt?: string | undefined;
      }
    | undefined;
  /** Whether the user may decide: a caller reads what it has requested. */
  readonly mayDecide: boolean;
  readonly maxReasonChars: number;
}

export function approvalPage(options: ApprovalPage): string {
  const { call, list, rule, requestedAt, digest, decided, validated, mayDecide } = options;
  return page(
    { title: decided === undefined ? 'Run this call?' : 'This call', isWide: true },
    html`<p>It runs at most once, with exactly these arguments.</p>
<dl>
${row('Tool', html`<b>${call.tool}</b> of <b>${call.server}</b>`)}
${row('Requested by', html`${callerOf(call)}${call.requester && html`<div class="soft">${call.requester.issuer}</div>`}`)}
${row('Arguments', code(options.arguments))}
${validated !== undefined && row('With defaults and conversions it runs with', code(validated))}
${rule !== undefined && row('Rule', html`<code>${rule}</code>`)}
${row('Requested', html`${requestedAt}`)}
${row('Open until', html`${call.openUntil}`)}
${row('Approval', html`<code>${call.id}</code><div class="soft">SHA-256 of the call: <code>${digest}</code></div>`)}
${decided && row('Decision', decisionOf(decided))}
</dl>
${decided === undefined && mayDecide && form(options)}
${decided === undefined && !mayDecide && html`<p class="warning">Another person decides about this call.</p>`}
<p><a href="${list}">All approvals</a></p>`,
  );
}

/** Without the first button, which takes the key Enter, a reason that is entered would approve. */
const form = ({ call, maxReasonChars }: ApprovalPage): Html => html`<form method="post" action="${call.address}">
<p><label for="reason">Reason, which the caller reads (optional)</label>
<input type="text" id="reason" name="reason" maxlength="${maxReasonChars}" autocomplete="off"></p>
<div class="buttons">
<button disabled hidden></button>
<button class="primary" name="decision" value="approve">Approve</button>
<button name="decision" value="deny">Deny</button>
</div>
</form>`;

const callerOf = ({ requester }: ShownCall): Html =>
  requester === undefined
    ? html`a caller who has not signed in`
    : html`<b>${requester.name}</b>${requester.client !== undefined && html` by ${requester.client}`}`;

const decisionOf = ({ state, by, at, reason, usedAt }: NonNullable<ApprovalPage['decided']>): Html =>
  html`<b>${state === 'denied' ? 'Denied' : 'Approved'}</b> by ${by}, ${at}
${reason !== undefined && html`<div>${reason}</div>`}
<div class="soft">${
    state === 'used' ? `Used ${usedAt ?? ''}` : state === 'approved' ? 'Not used yet' : 'The call does not run'
  }</div>`;

const row = (name: string, value: Html): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`;

/** Line by line: the template would replace line breaks. All of it is shown, without a box to scroll in. */
const code = (text: string): Html =>
  html`<pre><code>${text.split('\n').map(
    (line) => html`${line}
`,
  )}</code></pre>`;
