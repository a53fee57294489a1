import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useHasRoomBeside } from '../base/use-media.ts'

/** A list whose rows show their detail beside it. */
export type Beside = {
  /** The id that the address has as `open`. */
  open: number | undefined
  /** Shows the detail of another row; with `undefined`, of none. */
  show: (id: number | undefined) => void
}

/**
 * Lets the rows of a list open beside it. The address has the row that is open.
 * @returns `undefined` if the window has no room for that: then the rows lead to their pages
 */
export function useBeside(open: number | undefined): Beside | undefined {
  const hasRoom = useHasRoomBeside()
  const navigate = useNavigate()
  return useMemo(() => {
    if (!hasRoom) return undefined
    const show = (id: number | undefined) =>
      void navigate({
        to: '.',
        search: (search: object) => ({ ...search, open: id }),
        replace: true,
      } as never)
    return { open, show }
  }, [hasRoom, open, navigate])
}
