/** The formats that are asserted; every other is an annotation. */

import {
  IsDate,
  IsDateTime,
  IsDuration,
  IsEmail,
  IsHostname,
  IsIPv4,
  IsIPv6,
  IsJsonPointer,
  IsTime,
  IsUri,
  IsUriReference,
  IsUuid,
} from 'typebox/format';

/** By name, whether a text has the format. Bound here, so that changes to typebox's global registry do not matter. */
export const formats: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>([
  ['date', IsDate],
  // typebox takes the zone names of RFC 9557 too; the format is that of RFC 3339.
  ['date-time', (text) => !text.includes('[') && IsDateTime(text)],
  ['duration', IsDuration],
  ['email', IsEmail],
  ['hostname', IsHostname],
  ['ipv4', IsIPv4],
  ['ipv6', IsIPv6],
  ['json-pointer', IsJsonPointer],
  ['time', (text) => IsTime(text)],
  ['uri', IsUri],
  ['uri-reference', IsUriReference],
  ['uuid', IsUuid],
]);
