/** The start of scripts that need the time. */

/** The time of Redis in milliseconds, unless the first argument is one: tests set it. */
export const clock = `
local function now(given)
  if given ~= '' then return tonumber(given) end
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
`;
