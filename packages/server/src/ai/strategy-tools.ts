/** What a model wants a strategy of its owner to be. */
export type WantedChange = { kind: 'code'; code: string } | { kind: 'status'; status: 'ACTIVE' | 'INACTIVE' }

/** A strategy as a model reads it. */
export type ReadStrategy = {
  id: number
  name: string
  type: string
  status: string
  version: number
  code: string
}

/** `problem`: why nothing was changed or asked for, as a sentence for the model. */
export type ChangeResult = { problem: string } | { awaitsApproval: boolean }

/** The strategies that a model may read and change. The gate has checked that the owner has named them. */
export type ModelStrategies = {
  /** `undefined`: its owner has no such code strategy or code reaction any more. */
  read(id: number): Promise<ReadStrategy | undefined>
  /** Changes a strategy, or asks the owner for approval. A strategy that has changed since `read` stays as it is. */
  change(id: number, wanted: WantedChange): Promise<ChangeResult>
}
