/** The event of a call as a guarded server records it. */
export const callStart = (n) => ({
  kind: 'call-start',
  who: { principal: `user-${n % 100}`, address: '192.0.2.7', scopes: ['files:read'] },
  what: { method: 'tools/call', action: 'call', tool: 'search', callId: `call-${n}`, round: 0 },
  decision: { decisionId: `decision-${n}`, effect: 'allow', rule: 'read' },
  private: { arguments: { query: `question ${n}`, limit: 10 } },
});
