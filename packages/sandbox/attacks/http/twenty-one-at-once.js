/**
 * Makes 21 requests without waiting for any, and swallows their errors.
 *
 * Holds: eight at a time, and those that were refused do not happen later.
 *
 * @ends completed
 * @log 8 fulfilled
 */
const requests = await Promise.allSettled(Array.from({ length: 21 }, () => $.Http.get('http://slow.example/')))
$.log(requests.filter(({ status }) => status === 'fulfilled').length, 'fulfilled')
