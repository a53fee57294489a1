import { useEffect, useRef, useState } from 'react'
import styles from './picture.module.css'

/**
 * A picture that came with an answer of the API. It is painted, because the pages load images from files of the service
 * only.
 * @param png in Base64
 * @param label what it shows, for those who do not see it
 */
export function Picture({ png, label }: { png: string; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isBroken, setBroken] = useState(false)
  useEffect(() => {
    let isCurrent = true
    const paint = async () => {
      const bytes = Uint8Array.from(atob(png), (byte) => byte.charCodeAt(0))
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
      const element = canvas.current
      if (isCurrent && element !== null) {
        element.width = image.width
        element.height = image.height
        element.getContext('2d')?.drawImage(image, 0, 0)
      }
      image.close()
    }
    setBroken(false)
    paint().catch(() => isCurrent && setBroken(true))
    return () => {
      isCurrent = false
    }
  }, [png])
  if (isBroken) return <p>The picture cannot be shown.</p>
  return <canvas ref={canvas} role="img" aria-label={label} className={styles.picture} />
}
