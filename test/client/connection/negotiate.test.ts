/** `negotiate` as a table: the accepted revisions, the peer's answer, and the next step. */
import { describe, expect, it } from 'vitest';
import {
  afterDiscovery,
  afterError,
  afterHandshake,
  afterNoDiscovery,
  afterRefusal,
  firstStep,
  type NextStep,
} from '../../../src/client/connection/negotiation/negotiate.ts';
import { chosenRevisions } from '../../../src/protocol/revisions/accepted.ts';
import { newestExchange, newestSession } from '../../../src/protocol/revisions/revisions.ts';

const accepted = {
  all: chosenRevisions(),
  exchanges: chosenRevisions(['2026-07-28']),
  sessions: chosenRevisions(['2024-11-05', '2025-11-25']),
  oldest: chosenRevisions(['2024-11-05']),
  'oldest and newest': chosenRevisions(['2024-11-05', '2026-07-28']),
};
type Accepted = keyof typeof accepted;

const describeStep = (step: NextStep): string => {
  if (step.kind === 'refused') return 'refused';
  return step.kind === 'failed' ? `failed: ${step.offered.join(' ')}` : `${step.kind} ${step.revision.id}`;
};

const supporting = (...supported: unknown[]) => ({ reason: 'unsupported-protocol-version', data: { supported } });
const bare = (reason: string, data?: unknown) => ({ reason, data });

const table: ReadonlyArray<readonly [string, Accepted, (ids: typeof accepted.all) => NextStep, string]> = [
  ['nothing yet', 'all', firstStep, 'exchange 2026-07-28'],
  ['nothing yet', 'exchanges', firstStep, 'exchange 2026-07-28'],
  ['nothing yet', 'oldest and newest', firstStep, 'exchange 2026-07-28'],
  ['nothing yet', 'sessions', firstStep, 'handshake 2025-11-25'],
  ['nothing yet', 'oldest', firstStep, 'handshake 2024-11-05'],

  [
    'all its revisions',
    'all',
    (own) =>
      afterDiscovery(
        own,
        accepted.all.map(({ id }) => id),
      ),
    'exchange 2026-07-28',
  ],
  ['an older one only', 'all', (own) => afterDiscovery(own, ['2024-11-05', '2025-06-18']), 'handshake 2025-06-18'],
  [
    'an older one only',
    'oldest and newest',
    (own) => afterDiscovery(own, ['2025-06-18', '2024-11-05']),
    'handshake 2024-11-05',
  ],
  ['unknown ones', 'all', (own) => afterDiscovery(own, ['2099-01-01', 'x']), 'failed: 2099-01-01 x'],
  ['none', 'all', (own) => afterDiscovery(own, []), 'failed: '],
  ['a revision that is not accepted', 'exchanges', (own) => afterDiscovery(own, ['2025-11-25']), 'failed: 2025-11-25'],

  ['without a usable discovery', 'all', afterNoDiscovery, 'handshake 2025-11-25'],
  ['without a usable discovery', 'oldest and newest', afterNoDiscovery, 'handshake 2024-11-05'],
  ['without a usable discovery', 'exchanges', afterNoDiscovery, 'failed: '],

  ...(['unknown', 'method-not-found', 'invalid-params', 'invalid-request', 'internal-error'] as const).map(
    (reason) =>
      [
        reason,
        'all' as const,
        (own: typeof accepted.all) => afterError(own, newestExchange, bare(reason, { supported: ['2024-11-05'] })),
        'handshake 2025-11-25',
      ] as const,
  ),
  ['a header mismatch', 'all', (own) => afterError(own, newestExchange, bare('header-mismatch')), 'refused'],
  [
    'a missing capability',
    'all',
    (own) => afterError(own, newestExchange, bare('missing-client-capability')),
    'refused',
  ],
  [
    '-32022 without data',
    'all',
    (own) => afterError(own, newestExchange, bare('unsupported-protocol-version')),
    'failed: ',
  ],
  [
    '-32022 and null',
    'all',
    (own) => afterError(own, newestExchange, bare('unsupported-protocol-version', null)),
    'failed: ',
  ],
  ['-32022 and invalid entries', 'all', (own) => afterError(own, newestExchange, supporting(5, null, {})), 'failed: '],
  [
    '-32022 and no list',
    'all',
    (own) => afterError(own, newestExchange, bare('unsupported-protocol-version', { supported: 'x' })),
    'failed: ',
  ],
  [
    '-32022 and a session',
    'all',
    (own) => afterError(own, newestExchange, supporting('2025-06-18', 5)),
    'handshake 2025-06-18',
  ],
  [
    '-32022 and a session',
    'exchanges',
    (own) => afterError(own, newestExchange, supporting('2025-06-18')),
    'failed: 2025-06-18',
  ],
  [
    '-32022 and the same revision',
    'all',
    (own) => afterError(own, newestExchange, supporting('2026-07-28')),
    'failed: 2026-07-28',
  ],
  [
    '-32022 and another exchange',
    'all',
    (own) => afterError(own, newestSession, supporting('2026-07-28')),
    'exchange 2026-07-28',
  ],

  ['the revision offered', 'all', (own) => afterHandshake(own, '2025-11-25'), 'handshake 2025-11-25'],
  ['an older revision', 'all', (own) => afterHandshake(own, '2024-11-05'), 'handshake 2024-11-05'],
  ['a revision that is not accepted', 'sessions', (own) => afterHandshake(own, '2025-06-18'), 'failed: 2025-06-18'],
  ['an exchange, in a handshake', 'all', (own) => afterHandshake(own, '2026-07-28'), 'failed: 2026-07-28'],
  ['an unknown revision', 'all', (own) => afterHandshake(own, '2099-01-01'), 'failed: 2099-01-01'],

  ['a refusal', 'all', (own) => afterRefusal(own, newestSession, undefined), 'refused'],
  ['a refusal without a version', 'all', (own) => afterRefusal(own, newestSession, { supported: [] }), 'refused'],
  [
    'a refusal and its version',
    'all',
    (own) => afterRefusal(own, newestSession, { serverVersion: '2025-06-18' }),
    'handshake 2025-06-18',
  ],
  [
    'a refusal and its version',
    'oldest',
    (own) => afterRefusal(own, newestSession, { serverVersion: '2025-06-18' }),
    'failed: 2025-06-18',
  ],
  [
    'a refusal and the same version',
    'all',
    (own) => afterRefusal(own, newestSession, { serverVersion: '2025-11-25' }),
    'failed: 2025-11-25',
  ],
  [
    'a refusal and an exchange',
    'all',
    (own) => afterRefusal(own, newestSession, { supported: ['2026-07-28'] }),
    'failed: 2026-07-28',
  ],
  [
    'a refusal and a list',
    'all',
    (own) => afterRefusal(own, newestSession, { supported: ['2026-07-28', '2024-11-05'] }),
    'handshake 2024-11-05',
  ],
];

describe('negotiation with a peer that answered', () => {
  it.each(table)('%s, where %s is accepted', (_answer, own, decide, step) => {
    expect(describeStep(decide(accepted[own]))).toBe(step);
  });

  it('has no first step if no revision is accepted', () => {
    expect(describeStep(firstStep([]))).toBe('failed: ');
  });
});
