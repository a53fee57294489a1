import type { Backend } from './backends.ts'
import type { LoadGenerator } from './load.ts'
import type { Section } from './report.ts'

/** What every benchmark gets. */
export type BenchContext = {
  generator: LoadGenerator
  backend: Backend
  /** Quick runs are for trying things out: their figures vary more. */
  quick: boolean
}

export type Benchmark = {
  name: string
  /** Whether the database matters. If not, the benchmark runs once. */
  perBackend: boolean
  run(context: BenchContext): Promise<Section>
}
