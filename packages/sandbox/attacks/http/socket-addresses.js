/**
 * Asks the host for the socket of a database, in the spellings that HTTP libraries have for sockets in the file system.
 *
 * Holds: options other than parameters and headers do not leave the isolate, and the service requests only `http:` and
 * `https:` addresses.
 *
 * @ends completed
 * @log 200 200 200 200 TypeError TypeError
 */
const path = '/data/.s.PGSQL.5432'
const ends = []
for (const [address, ...options] of [
  [`unix:${path}`],
  [`http://unix:${path}:/`],
  [`http+unix://${encodeURIComponent(path)}/`],
  ['http://a.example/', { socketPath: path }, { socketPath: path }],
  [{ socketPath: path }],
  ['http://a.example/', {}, { agent: { socketPath: path } }],
]) await $.Http.get(address, ...options).then(({ status }) => ends.push(status), (error) => ends.push(error.name))
$.log(...ends)
