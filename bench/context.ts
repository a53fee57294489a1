import type { Backend } from './backend.ts'
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
  run(context: BenchContext): Promise<Section>
}
