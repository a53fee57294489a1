/**
 * Makes an API client with credentials that change, and asks it for what turns into other things.
 *
 * Holds: the client is code of the isolate; all it can do is call `$.Http`.
 *
 * @ends completed
 * @log done
 */
let reads = 0
const ends = []
for (const use of [
  () => $.Http.createApiClient({ get apiKey() { reads += 1; return reads % 2 ? 'key' : { toString() { $.log('ESCAPED') } } }, apiSecret: 'secret' }),
  () => $.Http.createApiClient(null), () => $.Http.createApiClient({ apiKey: {}, apiSecret: [] }),
  () => $.Http.createApiClient({ apiKey: 'key', apiSecret: 'secret', algorithm: { toString: () => 'HMAC' } }),
  () => $.Http.createApiClient({ apiKey: 'key\r\nhost: x', apiSecret: 'secret' }).exchanges.list({ enabled: { toString() { $.log('ESCAPED') } } }),
]) {
  try { await use() } catch (error) { ends.push(error.name) }
}
$.log('done')
