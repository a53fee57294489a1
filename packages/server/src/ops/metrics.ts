import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The metrics of this process, for Prometheus. */
export class Metrics {
  readonly registry = new Registry()

  readonly runs = new Counter({
    name: 'tickwright_runs_total',
    help: 'Runs that have ended, by status.',
    labelNames: ['status'] as const,
    registers: [this.registry],
  })

  readonly runSeconds = new Histogram({
    name: 'tickwright_run_seconds',
    help: 'Wall-clock duration of runs in the sandbox.',
    buckets: secondsBuckets,
    registers: [this.registry],
  })

  readonly botSignals = new Counter({
    name: 'tickwright_bot_signals_total',
    help: 'Signals that bots have finished, by status.',
    labelNames: ['status'] as const,
    registers: [this.registry],
  })

  readonly unprotectedSeconds = new Counter({
    name: 'tickwright_unprotected_seconds_total',
    help: 'Seconds that live positions had no stop at an exchange where the service keeps stops.',
    registers: [this.registry],
  })

  readonly scheduleLagSeconds = new Histogram({
    name: 'tickwright_schedule_lag_seconds',
    help: 'Delay between the time that a schedule was due and the moment its run was stored.',
    buckets: secondsBuckets,
    registers: [this.registry],
  })

  readonly requestSeconds = new Histogram({
    name: 'tickwright_http_request_seconds',
    help: 'HTTP requests, by route and status.',
    labelNames: ['route', 'status'] as const,
    buckets: secondsBuckets,
    registers: [this.registry],
  })

  constructor() {
    collectDefaultMetrics({ register: this.registry })
  }

  /** Adds a gauge whose value is read when Prometheus asks. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read())
      },
    })
  }
}
