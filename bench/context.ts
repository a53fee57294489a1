import type { Backend } from './backends.ts'
import type { LoadGenerator } from './load.ts'
import type { Section } from './report.ts'

/** What every benchmark works with. */
export type BenchContext = {
  generator: LoadGenerator
  backend: Backend
  /** Quick runs are for trying things out: the figures scatter more. */
  quick: boolean
}

export type Benchmark = {
  name: string
  /** Whether the database has a part in it; if not, it runs once. */
  perBackend: boolean
  run(context: BenchContext): Promise<Section>
}
