//! Elements of prime fields, for the theory of finite fields.

use crate::Int;
use crate::number::int;

/// An integer modulo a prime. The order comes first, so that elements of one field stand together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Field {
    order: u32,
    value: u32,
}

impl Field {
    /// The element that an integer stands for; none if the order is not at least 2. Whether it is prime is not looked at.
    pub fn new(order: u32, value: &Int) -> Option<Field> {
        if order < 2 {
            return None;
        }
        let value = u32::try_from(&int::modulo(value, &Int::from(order)).ok()?).ok()?;
        Some(Field { order, value })
    }

    /// How many elements the field has.
    pub fn order(&self) -> u32 {
        self.order
    }

    /// The element as a number from 0 on.
    pub fn value(&self) -> u32 {
        self.value
    }

    /// The element whose number is this one modulo the order.
    fn reduced(&self, number: u64) -> Field {
        let value = u32::try_from(number % u64::from(self.order)).expect("a remainder is below the order");
        Field { order: self.order, value }
    }

    /// The sum; none for elements of different fields.
    pub fn add(&self, other: &Field) -> Option<Field> {
        let sum = u64::from(self.value) + u64::from(other.value);
        (self.order == other.order).then(|| self.reduced(sum))
    }

    /// The product; none for elements of different fields.
    pub fn mul(&self, other: &Field) -> Option<Field> {
        let product = u64::from(self.value) * u64::from(other.value);
        (self.order == other.order).then(|| self.reduced(product))
    }

    /// The negation.
    pub fn neg(&self) -> Field {
        self.reduced(u64::from(self.order - self.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_laws_of_a_field_hold_at_every_element() {
        for order in [2u32, 3, 5, 7] {
            let all: Vec<Field> = (0..order).map(|v| Field::new(order, &Int::from(v)).unwrap()).collect();
            let (zero, one) = (&all[0], &all[1]);
            for a in &all {
                assert_eq!(&a.add(&a.neg()).unwrap(), zero);
                assert_eq!(&a.mul(one).unwrap(), a);
                assert_eq!(a != zero, all.iter().any(|b| &a.mul(b).unwrap() == one), "{a:?} has an inverse");
                for b in &all {
                    assert_eq!(a.add(b), b.add(a));
                    let left = a.mul(&b.add(one).unwrap()).unwrap();
                    assert_eq!(left, a.mul(b).unwrap().add(a).unwrap());
                }
            }
        }
        assert_eq!(Field::new(5, &Int::NEG_ONE).unwrap().value(), 4);
        assert_eq!(Field::new(5, &Int::from(1)).unwrap().add(&Field::new(7, &Int::from(1)).unwrap()), None);
    }
}
