/** Attacks by paths: a caller wants files outside the root. */
import type { Attack } from '../attack.ts';
import { ask, callTool } from '../messages.ts';

type Row = readonly [id: string, does: string, path: string, because: string, code?: string];

const rows: readonly Row[] = [
  ['path-01', 'climbs with ..', '../secret.txt', 'has a .. segment'],
  ['path-02', 'climbs behind a folder that exists', 'days/../../secret.txt', 'has a .. segment'],
  ['path-03', 'encodes the dots', '%2e%2e/secret.txt', 'has a .. segment'],
  ['path-04', 'encodes the dots twice', '%252e%252e/secret.txt', 'has a .. segment'],
  ['path-05', 'encodes the separator', '..%2fsecret.txt', 'has an encoded separator'],
  ['path-06', 'encodes more often than anyone decodes', '%25252525252e./secret.txt', 'is percent-encoded too often'],
  ['path-07', 'uses an overlong encoding of a slash', '..%c0%afsecret.txt', 'has a percent-encoding that is not UTF-8'],
  ['path-08', 'uses backslashes', '..\\secret.txt', 'has a backslash'],
  ['path-09', 'ends the name with NUL', 'days/today.txt\0.png', 'has a NUL character'],
  ['path-10', 'names an absolute path', '/etc/passwd', 'is absolute'],
  ['path-11', 'names a drive', 'C:/secret.txt', 'has a drive or scheme'],
  ['path-12', 'names another scheme', 'http://x/secret.txt', 'has a drive or scheme'],
  ['path-13', 'names a file: URI outside the root', 'file:///etc/passwd', 'is not below the root'],
  [
    'path-14',
    'names a file: URI of another machine',
    'file://server/share/secret.txt',
    'is not the URI of a local file',
  ],
  ['path-15', 'uses dots and spaces that Windows removes', '.. ./secret.txt', 'has a .. segment'],
  ['path-16', 'follows a link to a file outside', 'link.txt', 'leads out of the root'],
  ['path-17', 'follows a link to a folder outside', 'up/secret.txt', 'leads out of the root'],
  [
    'path-18',
    'reaches a folder whose name begins like the root',
    'up/root-of-others/secret.txt',
    'leads out of the root',
  ],
  ['path-19', 'names a hidden file', '.env', 'leads to a hidden file'],
  ['path-20', 'reaches a hidden file by a link with another name', 'shown.txt', 'leads to a hidden file'],
  ['path-21', 'opens a device that never ends', 'zero', 'leads out of the root'],
  ['path-22', 'opens a FIFO, which would block', 'fifo', 'is not a regular file'],
  ['path-23', 'sends a path of a megabyte', 'a/'.repeat(500_000), 'has more than 1024 characters'],
  ['path-24', 'reads a file that is too large', 'large.txt', 'over the limit of 1000', 'file-too-large'],
];

export const paths: readonly Attack[] = [
  ...rows.map(
    ([id, does, path, because, code = 'path-not-allowed']): Attack => ({
      id,
      attacker: 'a caller',
      does,
      sends: callTool('read', { path }),
      gets: { code, because },
      audited: 'call-end',
    }),
  ),
  ...['notes:///../secret.txt', 'notes:///%2e%2e/secret.txt', 'notes:///link.txt'].map(
    (uri, index): Attack => ({
      id: `path-${25 + index}`,
      attacker: 'a caller',
      does: `climbs by the URI of a resource, ${uri}`,
      sends: ask('resources/read', { uri }),
      gets: { code: -32602, because: 'Resource not found' },
      audited: uri.includes('link') ? 'call-end' : 'decision',
    }),
  ),
];
