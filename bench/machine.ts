import { cpus, loadavg, platform, release, totalmem } from 'node:os'

/** The machine of the measurement. `load` is its load average over the minute before. */
export type Machine = {
  cpu: string
  cores: number
  memoryGb: number
  system: string
  node: string
  load: number
  at: string
}

export function describeMachine(): Machine {
  const processors = cpus()
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.version,
    load: Math.round(loadavg()[0]! * 100) / 100,
    at: new Date().toISOString(),
  }
}
