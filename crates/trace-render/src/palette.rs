//! Pictures as PNG with a palette: a figure has few colours, and one byte a pixel makes less than half of the file of four.

use ::png::{BitDepth, ColorType, Compression, Encoder};
use std::collections::HashMap;

/// The most colours of a palette.
const MOST_COLOURS: usize = 256;

/// Encodes opaque pixels, four bytes each: red, green, blue, alpha. A picture of more colours than a palette holds has three bytes a pixel.
/// Colours are kept exactly; alpha is left out. `None` if the number of bytes is not that of the pixels.
pub(super) fn encode(width: u32, height: u32, pixels: &[u8]) -> Option<Vec<u8>> {
    let (pixels, []) = pixels.as_chunks::<4>() else { return None };
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    let data = match indexed(pixels) {
        Some((palette, indices)) => {
            encoder.set_color(ColorType::Indexed);
            encoder.set_palette(palette);
            indices
        }
        None => {
            encoder.set_color(ColorType::Rgb);
            pixels.iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]).collect()
        }
    };
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&data).ok()?;
    writer.finish().ok()?;
    Some(file)
}

/// Returns the palette, three bytes a colour, and the index of each pixel's colour; `None` of too many colours.
fn indexed(pixels: &[[u8; 4]]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut palette, mut indices) = (Vec::new(), Vec::with_capacity(pixels.len()));
    let mut known: HashMap<[u8; 3], u8> = HashMap::new();
    let mut rest = pixels;
    while let Some(&[red, green, blue, _]) = rest.first() {
        let colour = [red, green, blue];
        let index = match known.get(&colour) {
            Some(index) => *index,
            None => {
                let index = u8::try_from(known.len()).ok().filter(|_| known.len() < MOST_COLOURS)?;
                known.insert(colour, index);
                palette.extend(colour);
                index
            }
        };
        // Neighbours mostly have one colour.
        let same = rest.iter().take_while(|[r, g, b, _]| [*r, *g, *b] == colour).count();
        indices.resize(indices.len() + same, index);
        rest = &rest[same..];
    }
    Some((palette, indices))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the colours of the pixels of a file.
    fn decoded(file: &[u8]) -> Vec<u8> {
        let mut decoder = ::png::Decoder::new(std::io::Cursor::new(file));
        decoder.set_transformations(::png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        pixels
    }

    fn colours(count: u32) -> Vec<u8> {
        (0..count).flat_map(|n| [(n % 256) as u8, (n / 256) as u8, 7, u8::MAX]).collect()
    }

    #[test]
    fn colours_are_kept_with_and_without_palette() {
        for count in [1, 2, 255, 256, 257, 1000] {
            let pixels = colours(count);
            let file = encode(count, 1, &pixels).unwrap();
            let without_alpha: Vec<u8> = pixels.chunks(4).flat_map(|pixel| pixel[..3].to_vec()).collect();
            assert_eq!(decoded(&file), without_alpha, "{count}");
            let color = ::png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap().info().color_type;
            assert_eq!(color == ColorType::Indexed, count <= 256, "{count}");
        }
    }

    #[test]
    fn wrong_number_of_bytes_is_refused() {
        assert_eq!(encode(2, 2, &colours(3)), None);
        assert_eq!(encode(1, 1, &[1, 2, 3]), None);
        assert_eq!(encode(0, 0, &[]), None);
    }
}
