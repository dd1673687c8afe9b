//! Values as text.

use super::forms::{Form, Forms};

impl Forms {
    /// The size of the nimber that a value equals; `None` if it is not a nimber.
    pub fn nimber_size(&self, form: Form) -> Option<usize> {
        if self.left(form) != self.right(form) {
            return None;
        }
        let mut sizes: Vec<usize> = self
            .left(form)
            .iter()
            .map(|&option| self.nimber_size(option))
            .collect::<Option<_>>()?;
        sizes.sort_unstable();
        (sizes.iter().copied().eq(0..sizes.len())).then_some(sizes.len())
    }

    /// A value as text: `3/4`, `*2`, `1*`, `±1`, `{2|-1/2}`.
    pub fn text(&mut self, form: Form) -> String {
        if let Some(number) = self.number(form) {
            return number.to_string();
        }
        match self.nimber_size(form) {
            Some(1) => return "*".to_owned(),
            Some(size) => return format!("*{size}"),
            None => {}
        }
        // The sum of an integer and a nimber has that integer among its options.
        let whole = self.left(form).iter().find_map(|&option| self.number(option));
        if let Some(number) = whole.filter(|number| number.is_whole()) {
            let back = self.whole(-number.numerator());
            let rest = self.sum(form, back);
            if let Some(size) = self.nimber_size(rest) {
                let size = if size == 1 { String::new() } else { size.to_string() };
                return format!("{number}*{size}");
            }
        }
        let negative = self.negative(form);
        let (left, right) = (self.left(form).to_vec(), self.right(form).to_vec());
        let list = |forms: &mut Forms, options: &[Form]| {
            let texts: Vec<String> = options.iter().map(|&option| forms.text(option)).collect();
            texts.join(",")
        };
        let left = list(self, &left);
        if negative == form {
            return if left.contains([',', '|']) {
                format!("±({left})")
            } else {
                format!("±{left}")
            };
        }
        let right = list(self, &right);
        format!("{{{left}|{right}}}")
    }
}
