/** The rooms of the larger folders of src and of the inspector's page: which room, or file beside the rooms, may import which. */

/**
 * For each folder its entries from the lowest tier to the highest: subfolders, and the files that stand beside them. An
 * entry may import every entry of a lower tier, and none of its own tier or above.
 */
export const rooms: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'src/lib': [['text', 'time', 'values'], ['errors'], ['options']],
  'src/server': [
    ['ports'],
    ['definition'],
    ['checks'],
    ['server-requests'],
    ['features'],
    ['registry'],
    ['kernel'],
    ['lifecycle'],
    ['transport'],
    ['internals'],
    ['http'],
    ['options'],
    ['server'],
    ['index'],
  ],
  'src/server/http': [
    ['message', 'endpoint-life', 'client-pings'],
    ['reporting'],
    ['admission'],
    ['options'],
    ['settings'],
    ['admit', 'reply'],
    ['session'],
    ['post', 'sse-stream'],
    ['endpoint', 'sse-streams'],
    ['fetch-responder', 'sse-endpoint'],
    ['fetch'],
  ],
  'src/client': [
    ['content', 'retry', 'answers'],
    ['api'],
    ['connection'],
    ['reconnect'],
    ['calls'],
    ['changes'],
    ['cache'],
    ['features'],
    ['client-core'],
    ['http'],
    ['connect'],
    ['index'],
  ],
  'src/node': [
    ['process', 'open-store-options', 'capture-options'],
    ['open-store', 'capture-to-file', 'skills-folder'],
    ['service-store', 'pipe', 'http-client', 'credentials'],
    ['task-worker-options'],
    ['child', 'guard', 'http-server', 'stdio-server', 'task-worker'],
    ['connect', 'listen-fetch'],
    ['host-options'],
    ['create-host', 'index', 'serve-replay'],
    ['entries'],
  ],
  'src/contract': [
    ['schema', 'snapshot', 'type-names'],
    ['argument-check', 'compare', 'type-text'],
    ['snapshot-index'],
    ['check-calls', 'contract', 'types-module'],
    ['index'],
  ],
  'src/capture': [
    ['options'],
    ['format', 'redaction', 'http'],
    ['read-capture', 'write-capture'],
    ['replay', 'compare-results'],
    ['handlers-from-capture', 'repeat-options'],
    ['repeat-calls'],
    ['index'],
  ],
  'src/auth': [['secure-url', 'bearer-or-api-key-options'], ['resource', 'client', 'bearer-or-api-key'], ['index']],
  'src/auth/client': [
    ['steps', 'sign-in', 'scopes', 'records', 'time-limit'],
    ['guarded-fetch'],
    ['discovery'],
    ['registration'],
    ['tokens'],
    ['grants'],
    ['options'],
    ['settings'],
    ['flows'],
    ['servers'],
    ['oauth'],
  ],
  'src/dev-auth': [
    ['events', 'html', 'id-jag', 'loopback', 'memory-adapter', 'oidc-provider.d', 'quirks', 'visitor'],
    ['interactions', 'options'],
    ['settings'],
    ['clients', 'resource-servers'],
    ['assertions', 'configuration'],
    ['responses'],
    ['start'],
    ['index'],
  ],
  'src/guard': [['policy', 'audit', 'lock', 'limits'], ['server'], ['index']],
  'src/guard/policy': [
    ['limits', 'options', 'rule', 'matching', 'condition-bounds'],
    ['condition-values'],
    ['condition'],
    ['document', 'decision', 'evaluation'],
    ['recent-decisions'],
    ['explain'],
    ['policy'],
    ['policy-tests', 'decision-record'],
    ['replay'],
  ],
  'src/guard/lock': [['definitions', 'differences', 'options'], ['document'], ['compare'], ['lock']],
  'src/guard/limits': [
    ['rate', 'bounded-limits'],
    ['rules'],
    ['options'],
    ['limit-problems', 'claims', 'refusals', 'held-leases'],
    ['limits'],
  ],
  'src/node/guard': [['audit', 'lock-file', 'policy-options', 'read-policy'], ['policy-file'], ['guard']],
  'src/input-safety': [['paths', 'urls', 'command-arguments', 'sql', 'mask-options'], ['mask-secrets'], ['index']],
  'src/host': [
    ['with-timeout'],
    ['requests'],
    ['servers'],
    ['lock'],
    ['stored-lists'],
    ['lists', 'rules'],
    ['options', 'options-check', 'api'],
    ['settings'],
    ['calls', 'server-set'],
    ['host'],
    ['create'],
    ['index'],
  ],
  'src/agents': [['schemas', 'search', 'results'], ['context']],
  'src/inspector': [
    ['api'],
    ['api-error'],
    ['recordings'],
    ['event-log'],
    ['clients'],
    ['apps'],
    ['calls'],
    ['http'],
    ['options'],
    ['settings'],
    ['inspector'],
    ['serve-inspector'],
    ['index'],
  ],
  'src/cli': [
    ['usage-error'],
    ['io'],
    ['input', 'output'],
    ['terminal'],
    ['target'],
    ['answers', 'capture', 'config-edit', 'dev'],
    ['commands'],
    ['manifest'],
    ['keeper', 'run'],
    ['main'],
  ],
  'apps/inspector/src': [
    ['api'],
    ['state', 'controls'],
    ['form', 'result'],
    ['connect', 'activity', 'timeline', 'features'],
    ['apps'],
    ['shell'],
    ['main'],
  ],
  'src/json-schema': [
    ['limits', 'budget'],
    ['analysis'],
    ['compiler', 'validation', 'form'],
    ['json-schema', 'form-plan'],
    ['index'],
  ],
};

/** The most files of a folder, tests beside files not counted. */
export const maxFiles = 24;

/** The fewest entries of a folder: what has fewer belongs into the folder above. */
export const minEntries = 4;

/** Folders that may have fewer, each for its reason; a folder ends in a slash if those inside it may too. */
export const smallFolders: Readonly<Record<string, string>> = {
  'src/protocol/revisions/': 'one folder for each revision',
  'src/schema': 'Standard Schema needs no more',
  'apps/inspector': 'the sources of the page, and how it is built',
};

/** A file of fewer lines with one importer in its folder joins it, unless that gets longer than `maxJoined`. */
export const minLines = 30;
export const maxJoined = 250;

/** Smaller ones that stay, each for its reason. */
export const smallFiles: Readonly<Record<string, string>> = {
  'apps/inspector/src/api/event-stream.ts': 'tested alone: what uses it needs a browser',
  'apps/inspector/src/form/json-tokens.ts': 'tested alone: what uses it needs a browser',
};
