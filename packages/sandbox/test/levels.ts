import type { ExecutorCommand } from '../src/containment.ts'
import type { ContainmentLayer } from '../src/containment-chain.ts'

export type Level = { name: string; layers: ContainmentLayer[]; program: string; args: string[] }

/** An executor as this machine contains it, and as machines that allow less would. */
export function levelsOf({ program, args, layers }: ExecutorCommand): Level[] {
  const whole = [program, ...args]
  // The layers of the chain come before Node, and the filter of system calls is its last argument.
  const node = whole.slice(whole.indexOf(process.execPath))
  const isFiltered = layers.includes('syscalls')
  const unfiltered = (command: string[]) =>
    isFiltered ? command.slice(0, -1).filter((arg) => arg !== '--allow-ffi') : command
  const filter = layers.filter((layer) => layer === 'syscalls')
  const chain = layers.filter((layer) => layer !== 'syscalls')
  const level = (name: string, layers: ContainmentLayer[], [first, ...rest]: string[]) => ({
    name,
    layers,
    program: first!,
    args: rest,
  })
  return [
    level('all layers', layers, whole),
    level('all layers except the filter of system calls', chain, unfiltered(whole)),
    level('only the filter of system calls', filter, node),
    level("only Node's permission model", [], unfiltered(node)),
  ]
}
