import type { World } from '../world.ts'
import { jsonLine, printable } from './printable.ts'
import { type Column, tabbedOf, tableOf, widthOf } from './table.ts'

/** Where the results of a command go: data to the standard output, messages to the standard error. */
export class Output {
  readonly #world: Pick<World, 'stdout' | 'stderr'>
  /** Whether data goes out as lines of JSON. */
  readonly json: boolean

  constructor(world: Pick<World, 'stdout' | 'stderr'>, json: boolean) {
    this.#world = world
    this.json = json
  }

  /** Records as a table, or one line of JSON for each. `none` is the message if there are none. */
  rows<Row>(columns: readonly Column<Row>[], rows: readonly Row[], none: string): void {
    if (this.json) for (const row of rows) this.#line(jsonLine(row))
    else if (rows.length === 0) this.say(none)
    else {
      const { stdout } = this.#world
      const lines =
        stdout.isTTY === true ? tableOf(columns, rows, stdout.columns || 80) : tabbedOf(columns, rows)
      for (const line of lines) this.#line(line)
    }
  }

  /** One record: a line of JSON, or a line for each of the shown facts that has a value. */
  record(record: unknown, facts: readonly (readonly [string, unknown])[]): void {
    if (this.json) {
      this.#line(jsonLine(record))
      return
    }
    const shown = facts.filter(([, value]) => value !== undefined && value !== null && value !== '')
    const width = Math.max(...shown.map(([title]) => widthOf(title)))
    for (const [title, value] of shown) this.#line(`${title.padEnd(width)}  ${printable(String(value))}`)
  }

  /** A line of data that is more than a cell, such as of a log. With `--json`, the record instead. */
  text(line: string, record: unknown): void {
    this.#line(this.json ? jsonLine(record) : printable(line))
  }

  /** A message for the person who runs the command. */
  say(message: string): void {
    this.#world.stderr.write(`${printable(message)}\n`)
  }

  #line(line: string): void {
    this.#world.stdout.write(`${line}\n`)
  }
}
