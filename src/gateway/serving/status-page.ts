/** The page of the operator: upstreams, who is connected, what waits, and the last errors. HTML without script. */
import { type Html, html } from '../../auth-pages/html.ts';
import { page } from '../../auth-pages/page.ts';
import type { GatewayConnection, GatewayStatus, UpstreamStatus } from '../types.ts';

export interface StatusPage {
  readonly status: GatewayStatus;
  readonly connections: readonly GatewayConnection[];
  /** Sent back with each button: no other page has it. */
  readonly token: string;
}

/** Subjects and reasons that the page shows. */
const maxShown = 200;

export const statusPage = ({ status, connections, token }: StatusPage): string => {
  const upstreams = Object.entries(status.upstreams);
  const subjects = subjectsOf(connections);
  const dropped = Object.entries(status.dropped);
  return page(
    { title: 'Gateway', isWide: true, note: 'This page shows what was so when it was loaded.' },
    html`<h2>Upstreams</h2>
<ul class="cards">${upstreams.map(([name, one]) => upstreamCard(name, one, token))}</ul>
<h2>Connected subjects</h2>
${subjects.length === 0 && html`<p>None.</p>`}
<ul class="cards">${subjects.slice(0, maxShown).map((one) => subjectCard(one, token))}</ul>
${subjects.length > maxShown && html`<p>And ${subjects.length - maxShown} more.</p>`}
${dropped.length > 0 && html`<h2>Dropped</h2><ul>${dropped.slice(0, maxShown).map(([reason, count]) => html`<li>${count} × ${reason}</li>`)}</ul>`}`,
  );
};

const upstreamCard = (name: string, one: UpstreamStatus, token: string): Html => html`<li><b>${name}</b> ${one.state}
<div class="soft">${one.connections} connections · ${one.waiting} calls wait for one · ${one.parked} calls wait for their callers · circuit ${one.circuit} · generation ${one.generation}</div>
${one.lastError && html`<div class="warning">${new Date(one.lastError.at).toISOString()} ${one.lastError.code}: ${one.lastError.message}</div>`}
${form(token, 'drain', name, `Replace the connections of ${name}`)}</li>
`;

const subjectCard = ({ key, name, upstreams }: ConnectedSubject, token: string): Html => html`<li><b>${name}</b>
<div class="soft">${upstreams.map(([upstream, count]) => `${upstream}: ${count}`).join(' · ')}</div>
${key !== undefined && form(token, 'revoke', key, `Disconnect ${name}`)}</li>
`;

const form = (
  token: string,
  action: string,
  value: string,
  label: string,
): Html => html`<form method="post" action="/${action}">
<input type="hidden" name="token" value="${token}"><button name="value" value="${value}">${label}</button></form>`;

interface ConnectedSubject {
  readonly key: string | undefined;
  readonly name: string;
  /** The connections at each upstream. */
  readonly upstreams: readonly (readonly [upstream: string, count: number])[];
}

function subjectsOf(connections: readonly GatewayConnection[]): ConnectedSubject[] {
  const byKey = new Map<string | undefined, { readonly name: string; readonly counts: Map<string, number> }>();
  for (const { upstream, principal } of connections) {
    const issuer = principal === undefined || principal.issuer === '' ? '' : ` at ${principal.issuer}`;
    const name = principal === undefined ? 'Callers without a principal' : `${principal.subject}${issuer}`;
    const found = byKey.get(principal?.key) ?? { name, counts: new Map<string, number>() };
    found.counts.set(upstream, (found.counts.get(upstream) ?? 0) + 1);
    byKey.set(principal?.key, found);
  }
  return [...byKey].map(([key, { name, counts }]) => ({ key, name, upstreams: [...counts] }));
}
