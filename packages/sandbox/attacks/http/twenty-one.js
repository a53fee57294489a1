/**
 * Makes 21 requests in a run.
 *
 * Holds: the guest counts, and the parent counts again.
 *
 * @ends failed Error: A run may send at most 20 HTTP requests.
 */
for (let index = 0; index < 21; index += 1) await $.Http.get(`http://a.example/${index}`)
