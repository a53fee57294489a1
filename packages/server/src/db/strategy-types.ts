import type { LlmType, StrategyType } from './schema.ts'

/** Whether it asks a language model instead of running code. */
export function asksModel(type: StrategyType): type is LlmType {
  return type === 'llm-reaction' || type === 'llm-session'
}

/** The name of a type in texts. */
export function typeName(type: StrategyType): string {
  return type.replace('llm', 'AI').replace('-', ' ')
}
