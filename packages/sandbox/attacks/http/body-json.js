/**
 * Passes a body whose JSON is made by code: `toJSON`, getters, cycles.
 *
 * Holds: it is written inside the isolate, and what cannot be written is the caller's error.
 *
 * @ends completed
 * @log 200 TypeError TypeError thrown
 */
const cycle = {}
cycle.cycle = cycle
const ends = []
for (const body of [{ toJSON: () => 'plain' }, cycle, () => {}, { get a() { throw new Error('thrown') } }]) {
  await $.Http.post('http://a.example/', body).then(({ status }) => ends.push(status), (error) => ends.push(error.message === 'thrown' ? 'thrown' : error.name))
}
$.log(...ends)
