/**
 * Preloaded into a service process: its clock is off by `CLOCK_SHIFT_HOURS`, as that of a machine without a time server.
 * Durations (`performance.now`, timers) stay right, as they do on such a machine.
 */
const shiftMs = Number(process.env.CLOCK_SHIFT_HOURS) * 3_600_000

globalThis.Date = new Proxy(Date, {
  construct: (real, values, target) =>
    Reflect.construct(real, values.length === 0 ? [real.now() + shiftMs] : values, target),
  apply: (real) => new real(real.now() + shiftMs).toString(),
  get: (real, name, receiver) =>
    name === 'now' ? () => real.now() + shiftMs : Reflect.get(real, name, receiver),
})
