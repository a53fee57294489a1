import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { sessionBegan } from '../data/session-state.ts'

/** Leads someone who has just signed in to a page. Nothing is left of the user who was signed in before. */
export function useEnter(): (path: string) => void {
  const queries = useQueryClient()
  const router = useRouter()
  return (path) => {
    sessionBegan()
    queries.clear()
    router.history.replace(path)
  }
}
